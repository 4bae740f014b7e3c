// What must hold of trips, however often their processes died: from the ledger and from the one log that all of them wrote. It
// shares no code with the engine but the names of runs.
import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withLedger } from "../../../infrastructure/testing/ledgers.ts"
import { isFailing, STEPS, tripIds } from "./workflow-trips.ts"

/** A line of the log: who, what, of which trip, and more. */
type Note = readonly [by: string, what: string, id?: string, at?: string, value?: string]

/** The last line may be half of one where its process was killed. */
export const notesIn = (log: string): ReadonlyArray<Note> =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.endsWith("]"))
        .map((line) => JSON.parse(line) as Note)
    : []

interface Attempt {
  readonly execution: string
  readonly name: string
  receipts: number
  outcome: string
  value: string
}

export interface TripReport {
  readonly findings: ReadonlyArray<string>
  /** Bodies that began again since their end was not recorded. */
  readonly repeated: number
  readonly events: number
}

const valueOf = (receipt: unknown): string => JSON.stringify(receipt)

/** Every attempt at an activity by its step, and what became of it. */
const attemptsIn = (
  events: ReadonlyArray<{ readonly type: string; readonly stream_id: string; readonly data: string }>
) => {
  const attempts = new Map<string, Attempt>()
  for (const { data, stream_id, type } of events) {
    if (!stream_id.startsWith("run:activity/")) continue
    const event = JSON.parse(data) as {
      readonly message_id: string
      readonly step_id: string
      readonly outcome: string
      readonly payload: { readonly intent: string; readonly attempt: number }
      readonly receipt: unknown
    }
    if (type === "MessagePosted") {
      attempts.set(`${event.message_id.replace("msg_", "step_")}.0001.00001`, {
        execution: stream_id,
        name: `${event.payload.intent}/${event.payload.attempt}`,
        receipts: 0,
        outcome: "",
        value: ""
      })
    }
    if (type !== "StepCompleted") continue
    const attempt = attempts.get(event.step_id)
    if (attempt === undefined) continue
    attempt.receipts += 1
    attempt.outcome = event.outcome
    attempt.value = valueOf(event.receipt)
  }
  return [...attempts.values()]
}

const grouped = <A>(
  all: ReadonlyArray<A>,
  key: (each: A) => string
): ReadonlyMap<string, ReadonlyArray<A>> => {
  const groups = new Map<string, Array<A>>()
  for (const each of all) groups.set(key(each), [...(groups.get(key(each)) ?? []), each])
  return groups
}

/** What the log alone tells: same values at each replay, nothing begun after its end was known, one end for all. */
const noteFindings = (notes: ReadonlyArray<Note>, trips: number, paused: boolean): Array<string> => {
  const findings: Array<string> = []
  const known = new Map<string, string>()
  for (const [by, what, id, at, value] of notes) {
    const key = `${id} ${at}`
    // A process that was stopped where its lease was fresh goes on in a body that another one has finished meanwhile.
    if (what === "begin" && known.has(key) && !paused)
      findings.push(`${by} began ${key} after its value was known`)
    if (what !== "has") continue
    const before = known.get(key)
    if (before !== undefined && before !== value) findings.push(`${key} was ${before} and became ${value}`)
    known.set(key, value ?? "")
  }
  const told = grouped(
    notes.filter(([, what]) => what === "told"),
    ([, , id = ""]) => id
  )
  for (const id of tripIds(trips)) {
    const ends = new Set((told.get(id) ?? []).map(([, , , how, value]) => `${how} ${value}`))
    if (ends.size !== 1) findings.push(`trip ${id} ended ${ends.size} ways: ${[...ends].join(" | ")}`)
    const [end = ""] = ends
    if (!end.startsWith(isFailing(id) ? "failure" : "success")) findings.push(`trip ${id} ended as ${end}`)
    for (const at of isFailing(id) ? [...STEPS, "undo"] : STEPS) {
      const value = known.get(`${id} ${at}`)
      if (value === undefined) findings.push(`trip ${id} has no ${at}`)
      else if (at !== "undo" && !end.includes(value))
        findings.push(`trip ${id} ended without its ${at}: ${end}`)
    }
    if (!isFailing(id) && known.has(`${id} undo`)) findings.push(`trip ${id} was undone`)
  }
  return findings
}

/** Judges a file of trips that have all ended; `paused` where processes were stopped past their leases. */
export const auditTrips = (
  filename: string,
  log: string,
  trips: number,
  paused: boolean
): Promise<TripReport> =>
  Effect.runPromise(
    withLedger({ filename }, (ledger) =>
      Effect.gen(function* () {
        const notes = notesIn(log)
        const findings = noteFindings(notes, trips, paused)
        const events = yield* Stream.runCollect(ledger.events({ live: false }))
        const attempts = attemptsIn(events)
        for (const { execution, name, outcome, receipts, value } of attempts) {
          if (receipts !== 1) findings.push(`${execution} ${name} has ${receipts} receipts`)
          else if (outcome !== "SUCCESS") findings.push(`${execution} ${name} ended as ${outcome}: ${value}`)
        }
        const expected = tripIds(trips).reduce((sum, id) => sum + STEPS.length + (isFailing(id) ? 1 : 0), 0)
        if (attempts.length !== expected) findings.push(`${attempts.length} attempts instead of ${expected}`)
        const receipts = attempts.map(({ value }) => value).join("\n")
        for (const [, what, id, at, value] of notes) {
          if (what === "has" && !receipts.includes(JSON.stringify(value ?? ""))) {
            findings.push(`no receipt has the value of ${at} of trip ${id}: ${value}`)
          }
        }
        for (const { run_id, step_id } of yield* ledger.waiting()) findings.push(`${run_id} ${step_id} waits`)
        for (const { run_id, step_id } of yield* ledger.leases({}))
          findings.push(`${run_id} ${step_id} is leased`)
        const { verdict, findings: found } = yield* ledger.verifyCassette({ pure: true })
        if (verdict !== "PASS") findings.push(`verify: ${verdict} ${JSON.stringify(found.slice(0, 3))}`)
        const begun = grouped(
          notes.filter(([, what]) => what === "begin"),
          ([, , id, at]) => `${id} ${at}`
        )
        const repeated = [...begun.values()].reduce((sum, all) => sum + all.length - 1, 0)
        return { findings, repeated, events: events.length }
      })
    )
  )
