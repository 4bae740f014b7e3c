// A cassette that is read in this process. Reading is synchronous and short; what could hang or break belongs into a
// child (child-cassette.ts).
import * as Effect from "effect/Effect"
import type { FileIndex } from "../../../application/network/cassette.ts"
import type { AskedBirth } from "../../../domain/network/birth.ts"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import type { EmbedderIdentity } from "../../../domain/network/vectors.ts"
import { CassetteFile } from "../cassette-file.ts"
import { askIndex } from "./cassette-index.ts"
import { indexedCassette } from "./indexed-cassette.ts"

/** Where a cassette lies, and how its place is shown. */
export interface CassetteAddress {
  readonly id: string
  /** Absolute. */
  readonly file: string
  readonly shownPath: string
  /** What the configuration asks of the file. */
  readonly asked?: AskedBirth | undefined
  /** Who makes the vectors of the network, if anybody does. */
  readonly embedder?: EmbedderIdentity | undefined
  /** Who asks, if that is known. */
  readonly agent?: string | null | undefined
  /** How long an answer waits for writers (milliseconds; 5,000 when it is left out). */
  readonly busyDeadlineMillis?: number | undefined
}

/** The cassette in a file, opened when it is first asked. */
export const localCassette = ({
  agent,
  asked,
  busyDeadlineMillis,
  embedder,
  file,
  id,
  shownPath
}: CassetteAddress): FileIndex => {
  const cassette = new CassetteFile(file, id, { asked })
  return indexedCassette({
    id,
    shownPath,
    embedder,
    agent,
    busyDeadlineMillis,
    inProcess: true,
    askIndex: (request) =>
      Effect.suspend(() => {
        const answer = askIndex(cassette, request)
        return "value" in answer
          ? Effect.succeed(answer.value)
          : Effect.fail(new CassetteOffline({ cassette_id: id, ...answer }))
      }),
    close: Effect.sync(() => cassette.close())
  })
}
