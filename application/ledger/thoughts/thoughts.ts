// Thoughts as their users see them: append a record to its task's chain, read records, verify chains. The service is
// built over the ledger's writer and ports, so that thoughts and work stand in one log and in one order. It never
// changes or deletes a record, and never decides what is worth thinking.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { AmbiguousPrefix, InvalidInput } from "../../../domain/foundation/errors.ts"
import { type DuplicateId, TaskNotFound, ThoughtNotFound } from "../../../domain/ledger/thoughts/errors.ts"
import { IDS_OF_PREFIX, idOfPrefix } from "../../../domain/foundation/id-prefix.ts"
import { DEFAULT_PAGE_ROWS } from "../../../domain/foundation/page.ts"
import type { ThoughtRow } from "../../../domain/ledger/rows.ts"
import type { ThoughtChainReport } from "../../../domain/ledger/thoughts/chain-report.ts"
import {
  ListThoughts,
  RecordThought,
  ThoughtId,
  type ThoughtInput,
  VerifyThoughts
} from "../../../domain/ledger/thoughts/commands.ts"
import { decideThought } from "../../../domain/ledger/thoughts/decide.ts"
import type { ThoughtRecord } from "../../../domain/ledger/thoughts/thought-record.ts"
import type { Failed } from "../commands/command-group.ts"
import { doneCounter } from "../commands/commands.ts"
import { type CommandWriter, LedgerWriter } from "../commands/command-writer.ts"
import { datedNow } from "../../foundation/recordable-time.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { copyOf, decodeInput } from "../../foundation/input.ts"
import { LedgerEvidence } from "../verification/ledger-evidence.ts"
import { LedgerReader, type ReadError } from "../reading/ledger-reader.ts"
import { rowPages } from "../reading/row-pages.ts"
import { verifyThoughtChains } from "./chain-verification.ts"
import { RandomIds } from "./random-ids.ts"
import { traced } from "../../foundation/telemetry.ts"

/** Where an id and a time come from when the input has none: by default a random UUID and the Clock. */
export interface CreateThoughtOptions {
  /** Gives the id of a record that names none (default: a random UUID). */
  readonly idFn?: (() => string) | undefined
  /** Gives the time of a record that names none (default: now), as ISO 8601 with a zone. */
  readonly nowFn?: (() => string) | undefined
}

/** The operations on thoughts. */
export interface ThoughtsShape {
  /** Appends a record to the end of its task's chain and answers it. */
  readonly createThoughtRecord: (
    input: ThoughtInput,
    options?: CreateThoughtOptions
  ) => Effect.Effect<ThoughtRecord, InvalidInput | Failed<DuplicateId>>
  /** One record, or null when there is none with this id. */
  readonly getThoughtRecord: (id: string) => Effect.Effect<ThoughtRecord | null, InvalidInput | ReadError>
  /** As `getThoughtRecord`, with the time and the position of its event. */
  readonly thoughtRow: (id: string) => Effect.Effect<ThoughtRow | null, InvalidInput | ReadError>
  /** The id that begins with the given text, or is it; when several begin so, `AmbiguousPrefix` names them. */
  readonly thoughtIdOf: (
    prefix: string
  ) => Effect.Effect<string, AmbiguousPrefix | InvalidInput | ThoughtNotFound | ReadError>
  /** Records in the order of the log, oldest first unless `descending`; of one task, or all. */
  readonly listThoughtRecords: (
    options?: ListThoughts
  ) => Effect.Effect<ReadonlyArray<ThoughtRecord>, InvalidInput | ThoughtNotFound | ReadError>
  /** As `listThoughtRecords`, read page by page, so that no list is too large. */
  readonly thoughtRecords: (
    options?: ListThoughts
  ) => Stream.Stream<ThoughtRecord, InvalidInput | ThoughtNotFound | ReadError>
  /**
   * Recomputes the chain of one task or of all; a broken chain is a report, not an error. A task without a record, and
   * without an event that demands one, is `TaskNotFound`.
   */
  readonly verifyChain: (
    options?: VerifyThoughts
  ) => Effect.Effect<ThoughtChainReport, InvalidInput | TaskNotFound | ReadError>
}

const decodeRecord = decodeInput(RecordThought, Result.succeed)
const decodeId = decodeInput(ThoughtId, Result.succeed)
const decodeList = decodeInput(ListThoughts, Result.succeed)
const decodeVerify = decodeInput(VerifyThoughts, Result.succeed)

const recorded = doneCounter("createThoughtRecord")

/** A record has these eight fields and no others. */
const recordOf = (row: ThoughtRow): ThoughtRecord => ({
  id: row.id,
  type: row.type,
  task_id: row.task_id,
  agent_id: row.agent_id,
  content: row.content,
  timestamp: row.timestamp,
  prev_hash: row.prev_hash,
  hash: row.hash
})

const append = (
  writer: CommandWriter,
  command: RecordThought
): Effect.Effect<ThoughtRecord, Failed<DuplicateId>> =>
  writer.submit((transaction, moment) =>
    decideThought(
      command,
      {
        takenBy: transaction.thought(command.id)?.task_id,
        tail: transaction.thoughtTail(command.task_id)
      },
      moment
    )
  )

const makeThoughts: Effect.Effect<
  ThoughtsShape,
  never,
  LedgerWriter | LedgerReader | LedgerEvidence | Hashing | RandomIds
> = Effect.gen(function* () {
  const writer = yield* LedgerWriter
  const reader = yield* LedgerReader
  const evidence = yield* LedgerEvidence
  const hashing = yield* Hashing
  const { uuid } = yield* RandomIds

  const positionOf = Effect.fnUntraced(function* (id: string) {
    const row = yield* reader.thought(id)
    return row === undefined ? yield* Effect.fail(new ThoughtNotFound({ id })) : row.event_position
  })

  const thoughtRecords = (
    options: ListThoughts = {}
  ): Stream.Stream<ThoughtRecord, InvalidInput | ThoughtNotFound | ReadError> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const { after, limit, ...of } = yield* Effect.fromResult(decodeList(options))
        const position = after === undefined ? undefined : yield* positionOf(after)
        const atMost = Math.min(limit ?? DEFAULT_PAGE_ROWS, DEFAULT_PAGE_ROWS)
        const rows = rowPages({
          page: (last: ThoughtRow | undefined) =>
            reader.thoughts({ ...of, after: last?.event_position ?? position, limit: atMost }),
          placeOf: ({ event_position }) => [of.descending === true ? -event_position : event_position],
          nameOf: ({ id }) => `thought_records ${id}`
        })
        return Stream.map(limit === undefined ? rows : Stream.take(rows, limit), recordOf)
      })
    )

  return {
    createThoughtRecord: traced("cassette.thoughts.createThoughtRecord")(function* (input, options = {}) {
      const { idFn = uuid, nowFn } = yield* Effect.fromResult(copyOf(options))
      const now = yield* datedNow
      const copy = yield* Effect.fromResult(copyOf(input))
      const command = yield* Effect.fromResult(
        decodeRecord({
          ...copy,
          id: copy.id ?? idFn(),
          timestamp: copy.timestamp ?? (nowFn === undefined ? now : nowFn())
        })
      )
      const record = yield* append(writer, command)
      yield* Metric.update(recorded, 1)
      return record
    }),
    getThoughtRecord: traced("cassette.thoughts.getThoughtRecord")(function* (id) {
      const row = yield* reader.thought(yield* Effect.fromResult(decodeId(id)))
      return row === undefined ? null : recordOf(row)
    }),
    thoughtRow: traced("cassette.thoughts.thoughtRow")(function* (id) {
      return (yield* reader.thought(yield* Effect.fromResult(decodeId(id)))) ?? null
    }),
    thoughtIdOf: traced("cassette.thoughts.thoughtIdOf")(function* (given) {
      const prefix = yield* Effect.fromResult(decodeId(given))
      const id = yield* Effect.fromResult(
        idOfPrefix(prefix, yield* reader.ids("thought", prefix, IDS_OF_PREFIX))
      )
      return id ?? (yield* Effect.fail(new ThoughtNotFound({ id: prefix })))
    }),
    listThoughtRecords: traced("cassette.thoughts.listThoughtRecords")((options) =>
      Stream.runCollect(thoughtRecords(options))
    ),
    thoughtRecords: (options) =>
      thoughtRecords(options).pipe(Stream.withSpan("cassette.thoughts.thoughtRecords")),
    verifyChain: traced("cassette.thoughts.verifyChain")(function* (options = {}) {
      const { task_id } = yield* Effect.fromResult(decodeVerify(options))
      const report = yield* Effect.scoped(
        Effect.flatMap(evidence.snapshot, (snapshot) => verifyThoughtChains(snapshot, task_id))
      ).pipe(Effect.provideService(Hashing, hashing))
      if (task_id !== undefined && report.record_count === 0 && report.valid) {
        return yield* new TaskNotFound({ task_id })
      }
      return report
    })
  } satisfies ThoughtsShape
})

/**
 * Thought records: plans, analyses, decisions and reflections, one hash chain for each task, in the ledger's log.
 *
 * @example
 * import * as Effect from "effect/Effect"
 * import { Ledger, Thoughts } from "cortex-cassette"
 *
 * const program = Effect.gen(function* () {
 *   const thoughts = yield* Thoughts
 *   const plan = { task_id: "t1", type: "plan", agent_id: "a1", content: "read first, then write" } as const
 *   const { id } = yield* thoughts.createThoughtRecord(plan)
 *   return yield* thoughts.getThoughtRecord(id)
 * })
 *
 * await Effect.runPromise(Effect.provide(program, Ledger.layer({ filename: "thoughts.db" })))
 */
export class Thoughts extends Context.Service<Thoughts, ThoughtsShape>()("cortex-cassette/Thoughts") {
  /** The thoughts over ports that the host brings and over the ledger's writer, which `Ledger.layerWith` gives. */
  static readonly layerNoDeps = Layer.effect(this, makeThoughts)
}
