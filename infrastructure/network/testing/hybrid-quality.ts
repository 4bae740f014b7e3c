/**
 * How well words, vectors and both joined find texts on the same subject, with real texts and real vectors. Half of the
 * texts are indexed, the other half ask: with their titles as words and with their own vectors, which is the only way
 * to have a question's vector without the model. Two texts are on one subject when the indexed one has half of the
 * asking one's tags, which are taken out of the indexed words; the vectors' model has read them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Embedder } from "../../../application/network/embedder.ts"
import { Network } from "../../../application/network/hub.ts"
import { SEARCH_MODES, type SearchMode } from "../../../domain/network/cassette.ts"
import { finishWriting } from "../writing/document-writing.ts"
import { hubPartsLayer } from "../hub-parts.ts"
import { putVectors } from "../vectors/vector-writing.ts"
import { local, newCassette, put } from "./cassettes.ts"
import { maker, type RealText, realTexts } from "./vector-cassettes.ts"

/** The mean reciprocal rank of the first text on the subject among the best ten, by how it was searched. */
export type Quality = Readonly<Record<SearchMode, number>>

/** About as much of a text as the model reads (UTF-16 units): one chunk. */
const READ_UNITS = 1_200

/** Below so many tags a text says too little of its subject. */
const MIN_TAGS = 3

const tagsOf = ({ tags }: RealText): ReadonlySet<string> => new Set(tags.map((tag) => tag.toLowerCase()))

const wordsOf = ({ content }: RealText): string =>
  content.replaceAll(/^\**TAGS\**:.*$/gim, "").slice(0, READ_UNITS)

const pathOf = (number: number): string => `texts/${number}.txt`

const indexed = (folder: string, texts: ReadonlyArray<RealText>) => {
  const { connection, file } = newCassette(folder, "real")
  for (const [number, text] of texts.entries()) put(connection, pathOf(number), wordsOf(text))
  finishWriting(connection)
  const chunks = connection.all<{ hash: string; path: string }>(
    "SELECT c.hash, d.path FROM chunks AS c JOIN documents AS d ON d.document_id = c.document_id WHERE c.ordinal = (SELECT min(ordinal) FROM chunks WHERE document_id = d.document_id)"
  )
  const vectorOf = new Map(texts.map(({ vector }, number) => [pathOf(number), vector]))
  putVectors(
    connection,
    maker(384),
    chunks.map(({ hash, path }) => ({ hash, vector: vectorOf.get(path)! }))
  )
  connection.close()
  return local("real", file)
}

const reciprocalRank = (paths: ReadonlyArray<string>, wanted: ReadonlySet<string>): number => {
  const place = paths.findIndex((path) => wanted.has(path))
  return place === -1 ? 0 : 1 / (place + 1)
}

/** Which indexed texts are on the subject of a question. */
const onSubject = (question: RealText, texts: ReadonlyArray<RealText>): ReadonlySet<string> => {
  const tags = tagsOf(question)
  if (tags.size < MIN_TAGS) return new Set()
  const isOn = (text: RealText) => [...tagsOf(text)].filter((tag) => tags.has(tag)).length >= tags.size / 2
  return new Set(texts.flatMap((text, number) => (isOn(text) ? [pathOf(number)] : [])))
}

/** Asks every `every`-th question from `first` on, in all modes. */
export const hybridQuality = async (folder: string, first: number, every: number): Promise<Quality> => {
  const all = realTexts()
  const texts = all.filter((_, number) => number % 2 === 0)
  const questions = all
    .filter((_, number) => number % 2 === 1)
    .map((question) => ({ question, wanted: onSubject(question, texts) }))
    .filter(({ wanted }) => wanted.size > 0)
    .filter((_, number) => number % every === first)
  const vectors = new Map(questions.map(({ question }) => [question.title, question.vector]))
  const embedder = {
    identity: maker(384),
    embed: (asked: ReadonlyArray<string>) => Effect.succeed(asked.map((title) => vectors.get(title)!))
  }
  const cassette = indexed(folder, texts)
  const sums = { lexical: 0, vector: 0, hybrid: 0 }
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const hub = Network.layerNoDeps.pipe(
          Layer.provide(hubPartsLayer),
          Layer.provide(Layer.succeed(Embedder, embedder))
        )
        const network = Context.get(yield* Layer.build(hub), Network)
        yield* network.register(cassette)
        for (const { question, wanted } of questions) {
          for (const mode of SEARCH_MODES) {
            const { hits } = yield* network.query(question.title, 10, { mode })
            sums[mode] += reciprocalRank(
              hits.map(({ path }) => path),
              wanted
            )
          }
        }
      })
    )
  )
  const mean = (sum: number) => sum / questions.length
  return { lexical: mean(sums.lexical), vector: mean(sums.vector), hybrid: mean(sums.hybrid) }
}
