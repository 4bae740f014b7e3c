// A new ledger made from events as JSON lines, wherever they were kept: of a ledger's log, or exported elsewhere. Every event goes
// through the chain and the guards, so that the head is the one that the events had, or nothing is made.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { decodeInput } from "../../../application/foundation/input.ts"
import type { BackupError } from "../../../application/ledger/verification/ledger-copies.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { EMPTY_HEAD, type Head } from "../../../domain/ledger/event-envelope.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { Filename } from "../../sqlite/files/file-options.ts"
import { type EventOfLine, eventsOfLines, refusedEvents } from "./event-lines.ts"
import { attempt, type Replaying, replayed, replayEvent } from "./replay.ts"
import { verifyFile } from "../sqlite-ledger-evidence.ts"

/** The file to make, and the file that the lines come from. */
export interface ImportOptions {
  /** The file to make; it must not exist yet. */
  readonly filename: string
  /** The file that the lines come from, if they come from one: the new one is no more open than that. */
  readonly source?: string | undefined
}

const decodeImport = decodeInput(
  Schema.Struct({
    filename: Filename,
    source: Schema.optional(Filename)
  } satisfies Record<keyof ImportOptions, Schema.Top>),
  Result.succeed
)

/** What was found in an event, about the line that it stands in. */
const refusalOf = ({ code, finding, where }: StoreCorrupt, line?: number): InvalidInput =>
  refusedEvents(`${line === undefined ? "" : `line ${line}, `}${where}: ${finding} (${code})`)

const replayLine =
  ({ connection }: Replaying) =>
  (before: Head, { event, line }: EventOfLine): Head => {
    try {
      return replayEvent(connection, before, event)
    } catch (error) {
      throw error instanceof StoreCorrupt ? refusalOf(error, line) : error
    }
  }

const replayAll = <E, R>(
  lines: Stream.Stream<Uint8Array, E, R>,
  replaying: Replaying
): Effect.Effect<void, BackupError | E, R> =>
  Stream.runFoldEffect(
    eventsOfLines(lines),
    () => EMPTY_HEAD,
    (head: Head, page) =>
      attempt(replaying.target, () =>
        replaying.connection.transaction(() => page.reduce(replayLine(replaying), head))
      )
  ).pipe(
    Effect.flatMap(({ position }) =>
      position > 0 ? Effect.void : Effect.fail(refusedEvents("there is no event: a ledger has at least one"))
    )
  )

/**
 * Makes a ledger file of events as JSON lines, which `cortex cassette log --format json` prints, and gives its verification. Any line
 * that does not fit is `InvalidInput` with its number and what is wrong with it, and no file is left.
 *
 * @example
 * import { createReadStream } from "node:fs"
 * import * as Stream from "effect/Stream"
 * import { Ledger } from "cortex-cassette"
 *
 * export const importing = (file: string) =>
 *   Ledger.importFrom(
 *     Stream.fromAsyncIterable(createReadStream(file), (error) => error),
 *     { filename: "new.db" }
 *   )
 */
export const importLedger = Effect.fnUntraced(function* <E, R>(
  lines: Stream.Stream<Uint8Array, E, R>,
  options: ImportOptions
): Effect.fn.Return<VerificationReport, BackupError | E, R> {
  const { filename, source } = yield* Effect.fromResult(decodeImport(options))
  return yield* replayed({ target: filename, source, verify: verifyFile }, (replaying) =>
    replayAll(lines, replaying)
  ).pipe(Effect.mapError((error) => (error instanceof StoreCorrupt ? refusalOf(error) : error)))
})
