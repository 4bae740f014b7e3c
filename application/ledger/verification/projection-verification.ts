// The projections rung: the log is folded by the second projection into an empty place, and every table is
// compared with the fold row by row in key order. Every row that differs is named by key, first differing column and
// event position; the digests of the stored rows stand in the report.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import type { Sha256 } from "../../../domain/canonical/sha256.ts"
import { quotedValue } from "../../../domain/foundation/finding.ts"
import { type EventEnvelope, runStream } from "../../../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../../../domain/ledger/events.ts"
import { evolve, type FoldFault } from "../../../domain/ledger/evolve.ts"
import { LEDGER_TABLES, type LedgerTable, ledgerTables } from "../../../domain/ledger/rows.ts"
import { type Cell, digestHeader, digestLine } from "../../../domain/ledger/table-digest.ts"
import { changedStreams } from "./changed-streams.ts"
import { eachEvent } from "../reading/event-pages.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { type FoldTarget, LedgerEvidence, type LedgerSnapshot } from "./ledger-evidence.ts"
import type { ReadError } from "../reading/ledger-reader.ts"
import { inTurns, reading, ROWS_PER_TURN, type FindingList, type Rungs } from "./rungs.ts"

type Row = ReadonlyArray<Cell>

/** An event that cannot be decoded, or that cannot follow from those before it. */
export type FoldProblem = { readonly code: "EVENT_INVALID" | "FOLD_IMPOSSIBLE" } & FoldFault

/** Folds the events up to `upTo` into `target`; an event that cannot be folded is reported and left out. */
export const foldInto = Effect.fnUntraced(function* (
  snapshot: LedgerSnapshot,
  target: FoldTarget,
  onProblem: (problem: FoldProblem) => void,
  options: { readonly streamId?: string | undefined; readonly upTo?: number | undefined } = {}
): Effect.fn.Return<void, ReadError> {
  const { streamId, upTo = Number.MAX_SAFE_INTEGER } = options
  const version = yield* reading(() => snapshot.version())
  const fold = (envelope: EventEnvelope): boolean => {
    if (envelope.position > upTo) return false
    const event = decodeEvent(envelope)
    if (Result.isFailure(event)) {
      onProblem({ code: "EVENT_INVALID", ...event.failure })
      return true
    }
    const changes = evolve(target, event.success, version)
    if (Result.isFailure(changes)) onProblem({ code: "FOLD_IMPOSSIBLE", ...changes.failure })
    else target.apply(changes.success)
    return true
  }
  // Positions that do not grow are a finding of the chain rung.
  yield* eachEvent(snapshot, 0, fold, streamId)
})

const positionOf = (table: LedgerTable, row: Row): Cell => row[ledgerTables[table].columns.length - 1] ?? null

/** Reports how a stored row differs from the folded one, by its first differing column. */
const compareRows = (
  sha256: Sha256,
  list: FindingList,
  table: LedgerTable,
  key: Cell,
  stored: Row,
  folded: Row
): void => {
  const index = folded.findIndex((cell, column) => cell !== stored[column])
  if (index === -1) return
  list.add(
    "ROW_DIFFERS",
    `${table} ${key} ${ledgerTables[table].columns[index]}`,
    `stored ${quotedValue(sha256, stored[index])}, the events say ${quotedValue(sha256, folded[index])} (event ${positionOf(table, folded)})`
  )
}

/** Negative, 0 or positive as SQLite's BINARY collation orders two texts: by their bytes, so by code points. */
export const keyOrder = (left: string, right: string): number =>
  left === right ? 0 : compareCodePoints(left, right)

/** Walks the stored and the folded rows together in key order, reports what differs and counts the stored rows. */
function* compareTable(
  sha256: Sha256,
  list: FindingList,
  table: LedgerTable,
  stored: Iterable<Row>,
  folded: Iterable<Row>,
  onStored: (row: Row) => void
): Generator<undefined, number> {
  const left = stored[Symbol.iterator]()
  const right = folded[Symbol.iterator]()
  let a = left.next()
  let b = right.next()
  let rows = 0
  const take = () => {
    rows += 1
    if (!a.done) onStored(a.value)
    a = left.next()
  }
  for (let walked = 1; !a.done || !b.done; walked++) {
    if (walked % ROWS_PER_TURN === 0) yield
    const storedKey = a.done ? undefined : String(a.value[0])
    const foldedKey = b.done ? undefined : String(b.value[0])
    const order = storedKey === undefined ? 1 : foldedKey === undefined ? -1 : keyOrder(storedKey, foldedKey)
    if (order === 0 && !a.done && !b.done) {
      compareRows(sha256, list, table, a.value[0] ?? null, a.value, b.value)
      take()
      b = right.next()
    } else if (order < 0) {
      list.add("ROW_EXTRA", `${table} ${storedKey}`, "no event made this row")
      take()
    } else if (!b.done) {
      list.add("ROW_MISSING", `${table} ${foldedKey}`, `event ${positionOf(table, b.value)} demands this row`)
      b = right.next()
    }
  }
  return rows
}

/** The rows of the tables, filtered. */
function* rowsThat(rows: Iterable<Row>, isWanted: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) if (isWanted(row)) yield row
}

function* keysOf(rows: Iterable<Row>): Generator<Cell> {
  for (const [key = null] of rows) yield key
}

/** What the projections are narrowed to: one run, or what came after a trusted position. */
export interface ProjectionScope {
  readonly runId?: string | undefined
  readonly since?: number | undefined
  /** Whether the chain rung is climbed too: it reports the events that cannot be decoded after `since`. */
  readonly judged?: boolean | undefined
  /** The fold of the whole log, where the chain rung has made it. */
  readonly folded?: FoldTarget | undefined
}

/** Compares every projected table with the fold of the log, whole or narrowed; a run goes before a position. */
export const verifyProjections = Effect.fnUntraced(function* (
  rungs: Rungs,
  { folded, judged = false, runId, since }: ProjectionScope = {}
): Effect.fn.Return<void, ReadError, LedgerEvidence | Hashing> {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { counts, digests, list, snapshot } = rungs
      const evidence = yield* LedgerEvidence
      const { sha256, sha256Stream } = yield* Hashing
      const target = folded ?? (yield* evidence.foldTarget)
      const changed =
        runId !== undefined || since === undefined
          ? undefined
          : changedStreams(since, yield* reading(() => snapshot.streamsAfter(since)))
      const streams = changed?.streams ?? [runId === undefined ? undefined : runStream(runId)]
      const onProblem = ({ code, message, position }: FoldProblem) => {
        if (code === "EVENT_INVALID" && judged && position > (since ?? 0)) return
        list.add(code, `event ${position}`, message)
      }
      for (const streamId of folded === undefined ? streams : [])
        yield* foldInto(snapshot, target, onProblem, { streamId })
      const filter = changed?.rowFilter(keysOf(target.rows("cassette_messages")))
      // The ledger's own rows and the thoughts belong to no run.
      const tables = LEDGER_TABLES.filter(
        (table) => runId === undefined || (table !== "cassette_meta" && table !== "thought_records")
      )
      for (const table of tables) {
        const stream = sha256Stream()
        stream.update(digestHeader(table))
        const rows = snapshot.rows(table, runId)
        const stored = filter === undefined ? rows : rowsThat(rows, (row) => filter(table, row))
        counts[table] = yield* inTurns(
          compareTable(sha256, list, table, stored, target.rows(table), (row) =>
            stream.update(digestLine(row))
          )
        )
        if (filter === undefined) digests[table] = stream.digest()
        yield* Effect.yieldNow
      }
    })
  )
})
