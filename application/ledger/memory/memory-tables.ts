// The tables of a ledger as maps, filled by what `evolve` says of each event. They hold the rows that they are given and judge
// nothing. What was put in since `begin` can be taken back.
import { compareCodePoints } from "../../../domain/canonical/py.ts"
import type { ClaimPlace } from "../../../domain/ledger/commands.ts"
import type { RowChange } from "../../../domain/ledger/evolve.ts"
import {
  type JobRow,
  LEDGER_TABLES,
  type LedgerRows,
  type LedgerTable,
  type MessageRow,
  type ReceiptRow,
  type StepRow,
  type ThoughtRow
} from "../../../domain/ledger/rows.ts"
import type { Page } from "../../../domain/foundation/page.ts"
import type { RunSummary } from "../reading/ledger-reader.ts"
import type { FoldTarget } from "../verification/ledger-evidence.ts"
import { type AnyRow, cellsOf, FoldLookups, keyOf } from "../../../domain/ledger/fold-lookups.ts"
import { SortedIds } from "../../../domain/ledger/sorted-ids.ts"

type Tables = { readonly [T in LedgerTable]: Map<string, LedgerRows[T]> }

/** What stood under a key before it was changed. */
interface Before {
  readonly table: LedgerTable
  readonly key: string
  readonly row: AnyRow | undefined
}

export class MemoryTables implements FoldTarget {
  private readonly tables = Object.fromEntries(
    LEDGER_TABLES.map((table) => [table, new Map()])
  ) as unknown as Tables
  private readonly keys = Object.fromEntries(LEDGER_TABLES.map((table) => [table, new SortedIds()])) as {
    readonly [T in LedgerTable]: SortedIds
  }
  private readonly lookups = new FoldLookups()
  private readonly thoughtsOfTask = new Map<string, Array<string>>()
  private readonly messagesOfRun = new Map<string, number>()
  private before: Array<Before> = []

  /** A copy that later changes do not reach. */
  copy(): MemoryTables {
    const copy = new MemoryTables()
    for (const table of LEDGER_TABLES) {
      for (const row of this.tables[table].values()) copy.put(table, keyOf(table, row), row)
    }
    return copy
  }

  /** From here on changes can be taken back. */
  begin(): void {
    this.before = []
  }

  /** Takes back every change since `begin`. */
  rollback(): void {
    for (const { key, row, table } of this.before.toReversed()) this.put(table, key, row)
    this.before = []
  }

  readonly apply: FoldTarget["apply"] = (changes: ReadonlyArray<RowChange>) => {
    for (const { row, table } of changes) {
      const key = keyOf(table, row)
      this.before.push({ table, key, row: this.tables[table].get(key) })
      this.put(table, key, row)
    }
  }

  readonly step = (stepId: string): StepRow | undefined => this.tables.cassette_steps.get(stepId)
  readonly message = (messageId: string): MessageRow | undefined =>
    this.tables.cassette_messages.get(messageId)
  readonly job = (jobId: string): JobRow | undefined => this.tables.cassette_jobs.get(jobId)
  readonly receipt = (receiptId: string): ReceiptRow | undefined =>
    this.tables.cassette_receipts.get(receiptId)
  readonly thought = (id: string): ThoughtRow | undefined => this.tables.thought_records.get(id)
  /** A table's keys in their order, from one on. */
  readonly keysFrom = (table: LedgerTable, from: string): ReadonlyArray<string> => this.keys[table].from(from)
  readonly hasThought = (id: string): boolean => this.tables.thought_records.has(id)

  readonly firstPending: FoldTarget["firstPending"] = (runId, jobId) =>
    this.lookups.firstPending(runId, jobId)

  /** The step that a claim in this place takes. */
  nextPending(place: ClaimPlace): StepRow | undefined {
    const run = "run_id" in place ? place.run_id : this.nextRun(place.after_run, place.prefix)
    const job = "run_id" in place ? place.job_id : undefined
    const first = run === undefined ? undefined : this.firstPending(run, job)
    return first === undefined ? undefined : this.step(first)
  }

  readonly messageOfKey: FoldTarget["messageOfKey"] = (runId, key) => this.lookups.messageOfKey(runId, key)

  /** The newest record of a task. */
  newestThought(taskId: string): ThoughtRow | undefined {
    const newest = this.thoughtsOfTask.get(taskId)?.at(-1)
    return newest === undefined ? undefined : this.thought(newest)
  }

  /** A table's rows in the order of their keys. */
  sorted<T extends LedgerTable>(table: T): ReadonlyArray<LedgerRows[T]> {
    const rows: Map<string, LedgerRows[T]> = this.tables[table]
    return this.keys[table].from("").flatMap((key) => rows.get(key) ?? [])
  }

  readonly rows: FoldTarget["rows"] = (table) => this.sorted(table).map((row) => cellsOf(table, row))

  /** The thoughts in the order of their events, which is the order in which they came. */
  allThoughts(): ReadonlyArray<ThoughtRow> {
    return [...this.tables.thought_records.values()]
  }

  readonly thoughts: FoldTarget["thoughts"] = () =>
    this.allThoughts().map((row) => cellsOf("thought_records", row))

  readonly runs = (now: string, { after, limit }: Page): ReadonlyArray<RunSummary> =>
    [...this.messagesOfRun.keys()]
      .filter((run) => compareCodePoints(run, after) > 0)
      .sort(compareCodePoints)
      .slice(0, limit)
      .map((run) => this.summary(run, now))

  run(now: string, runId: string): RunSummary | undefined {
    return this.messagesOfRun.has(runId) ? this.summary(runId, now) : undefined
  }

  private summary(run_id: string, now: string): RunSummary {
    const steps = this.sorted("cassette_steps").filter((step) => step.run_id === run_id)
    const among = (status: StepRow["status"]) => steps.filter((step) => step.status === status)
    const pending = among("PENDING")
    const leased = among("LEASED")
    return {
      run_id,
      messages: this.messagesOfRun.get(run_id) ?? 0,
      jobs: new Set(steps.map(({ job_id }) => job_id)).size,
      pending: pending.length,
      leased: leased.length,
      committed: among("COMMITTED").length,
      oldest_pending_step: pending[0]?.step_id ?? null,
      oldest_pending_at: pending.map(({ created_at }) => created_at).sort()[0] ?? null,
      expired_leases: leased.filter(({ lease_expires_at }) => (lease_expires_at ?? "") <= now).length
    }
  }

  /** The next run with a waiting step behind one, else the first such run, among those that begin with the prefix. */
  private nextRun(afterRun: string, prefix: string): string | undefined {
    const runs = this.lookups
      .runs()
      .filter((run) => run.startsWith(prefix))
      .toSorted(compareCodePoints)
    return runs.find((run) => compareCodePoints(run, afterRun) > 0) ?? runs[0]
  }

  /** Puts a row under its key, or takes it away, in the table and in what is looked up by other things. */
  private put(table: LedgerTable, key: string, row: AnyRow | undefined): void {
    const rows = this.tables[table] as Map<string, AnyRow>
    const old = rows.get(key)
    if (old !== undefined) this.forget(table, key, old)
    if (row === undefined) {
      rows.delete(key)
      this.keys[table].delete(key)
    } else {
      rows.set(key, row)
      this.keys[table].add(key)
      this.learn(table, key, row)
    }
  }

  private learn(table: LedgerTable, key: string, row: AnyRow): void {
    this.lookups.learn(table, key, row)
    if (table === "cassette_messages") {
      const { run_id } = row as MessageRow
      this.messagesOfRun.set(run_id, (this.messagesOfRun.get(run_id) ?? 0) + 1)
    } else if (table === "thought_records") {
      const { task_id } = row as ThoughtRow
      const ids = this.thoughtsOfTask.get(task_id) ?? []
      ids.push(key)
      this.thoughtsOfTask.set(task_id, ids)
    }
  }

  private forget(table: LedgerTable, key: string, row: AnyRow): void {
    this.lookups.forget(table, key, row)
    if (table === "cassette_messages") {
      const { run_id } = row as MessageRow
      const left = (this.messagesOfRun.get(run_id) ?? 0) - 1
      if (left > 0) this.messagesOfRun.set(run_id, left)
      else this.messagesOfRun.delete(run_id)
    } else if (table === "thought_records") {
      // Records are never replaced; what is taken back is the newest of its task.
      this.thoughtsOfTask.get((row as ThoughtRow).task_id)?.pop()
    }
  }
}
