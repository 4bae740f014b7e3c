// One worker process of the demo: works the run until no step waits, and then says what it makes of it as a thought.
// It names on standard output what it is about to read, so that the demo can kill it in the middle of its work.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Corpus, Ledger, Thoughts, work } from "../../interfaces/embedding/index.ts"

const [filename = "", root = "", run_id = "", worker_id = "", ttl = "2"] = process.argv.slice(2)

/** How long a worker holds each step, so that a person can see the competition. */
const PACE = "40 millis"

/** The corpus, read slowly and aloud. */
const slowCorpus = Effect.map(Corpus, (corpus) => ({
  ...corpus,
  resolve: (request: Parameters<typeof corpus.resolve>[0]) =>
    Effect.sync(() => process.stdout.write(`${request.symbol_id}\n`)).pipe(
      Effect.andThen(Effect.sleep(PACE)),
      Effect.andThen(corpus.resolve(request))
    )
}))

const program = Effect.gen(function* () {
  const tally = yield* work({ run_id, worker_id, ttl_seconds: Number(ttl) }).pipe(
    Effect.provideServiceEffect(Corpus, slowCorpus)
  )
  const { createThoughtRecord } = yield* Thoughts
  yield* createThoughtRecord({
    task_id: run_id,
    type: "reflection",
    agent_id: worker_id,
    content: `I read ${tally.succeeded} slices, ${tally.bytes_read} bytes; ${tally.hits} had been read before`
  })
})

await Effect.runPromise(
  Effect.provide(program, Layer.merge(Ledger.layer({ filename }), Corpus.layer({ root, mode: "append" })))
)
