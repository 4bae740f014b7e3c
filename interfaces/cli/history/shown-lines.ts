// What `cortex show` prints for people: the fields of the object, then its body, then what belongs to it.
import { durationText } from "../../../domain/history/durations.ts"
import type {
  Listed,
  LogPlace,
  Shown,
  ShownAttempt,
  ShownEvent,
  ShownJob,
  ShownMessage,
  ShownReceipt,
  ShownReceiptBody,
  ShownRun,
  ShownStep,
  ShownThought
} from "../../../domain/history/shown.ts"
import { beginning, fieldLines, type Line, printable, table } from "../../shared/terminal-text.ts"
import { bodySection } from "./body-lines.ts"
import { timelineLine } from "./timeline-lines.ts"

type Field = readonly [name: string, value: string]

const placeText = ({ hash, position, recorded_at }: LogPlace): string =>
  `event ${position}, ${recorded_at}, ${hash.slice(0, 8)}`

const ifGiven = (name: string, value: string | null): ReadonlyArray<Field> =>
  value === null ? [] : [[name, value]]

const more = (list: Listed<unknown>): ReadonlyArray<string> => (list.more ? ["there are more"] : [])

/** A table under a heading; an empty one is left out. */
const section = <Item>(
  heading: string,
  list: Listed<Item>,
  header: ReadonlyArray<string>,
  row: (item: Item) => ReadonlyArray<string>
): ReadonlyArray<Line> =>
  list.items.length === 0 ? [] : ["", heading, ...table(header, list.items.map(row)), ...more(list)]

const outcomesText = (outcomes: { readonly [outcome: string]: number }): string =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(", ") || "-"

const countsText = ({
  committed,
  leased,
  pending
}: {
  readonly pending: number
  readonly leased: number
  readonly committed: number
}): string => `${pending} pending, ${leased} leased, ${committed} committed`

const messageLines = (shown: ShownMessage): ReadonlyArray<Line> => [
  ...fieldLines([
    ["message", shown.message_id],
    ["run", shown.run_id],
    ["source", shown.source],
    ...ifGiven("key", shown.idempotency_key),
    ...ifGiven("traceparent", shown.traceparent),
    ["posted", placeText(shown.posted)]
  ]),
  ...bodySection("payload", shown.payload),
  ...section(
    "jobs",
    shown.jobs,
    ["job", "intent", "pending", "leased", "committed", "outcomes"],
    ({ committed, intent, job_id, leased, outcomes, pending }) => [
      job_id,
      intent === "" ? "-" : beginning(intent),
      ...[pending, leased, committed].map(String),
      outcomesText(outcomes)
    ]
  )
]

const jobLines = (shown: ShownJob): ReadonlyArray<Line> => [
  ...fieldLines([
    ["job", shown.job_id],
    ["intent", shown.intent === "" ? "-" : shown.intent],
    ["message", shown.message_id],
    ["run", shown.run_id],
    ["posted", placeText(shown.posted)],
    ["steps", countsText(shown)],
    ["receipts", outcomesText(shown.outcomes)]
  ]),
  ...section(
    "steps",
    shown.steps,
    ["step", "status", "token", "outcome", "what"],
    ({ fencing_token, gist, outcome, status, step_id }) => [
      step_id,
      status,
      String(fencing_token),
      outcome ?? "-",
      gist
    ]
  )
]

const receiptFields = (shown: ShownReceiptBody): ReadonlyArray<Field> => [
  ["receipt", shown.receipt_id],
  ["outcome", shown.outcome],
  ["worker", `${shown.worker_id}, token ${shown.fencing_token}`],
  ...ifGiven("traceparent", shown.traceparent),
  ["completed", placeText(shown.completed)]
]

const tookText = ({ claimed, end }: ShownAttempt): string =>
  claimed === undefined || end === undefined
    ? ""
    : `, after ${durationText(Math.max(0, Date.parse(end.at) - Date.parse(claimed.at)))}`

const endText = (attempt: ShownAttempt): string => {
  const { end, lease_expires_at } = attempt
  if (end === undefined) return `holds the step until ${lease_expires_at ?? "?"}`
  const { at, how, position, reason, requested_by } = end
  const when = `${at} (event ${position})${tookText(attempt)}`
  const why = reason === undefined || reason === "" ? "" : `: ${reason}`
  if (how === "expired") return `gave no answer: ${requested_by ?? "?"} let the step wait again ${when}${why}`
  if (how === "forced") return `${requested_by ?? "?"} took the step away ${when}${why}`
  return how === "released" ? `gave the step back ${when}${why}` : `${how} ${when}`
}

const attemptLines = (attempt: ShownAttempt, index: number): ReadonlyArray<string> => {
  const { claimed, renewals, thoughts, worker_id } = attempt
  const since = claimed === undefined ? "" : `, claimed ${claimed.at} (event ${claimed.position})`
  return [
    `  ${index + 1}. ${worker_id}, token ${attempt.fencing_token}${since}`,
    ...renewals.map(
      ({ at, fencing_token, lease_expires_at, position }) =>
        `     renewed ${at} (event ${position}): token ${fencing_token}, until ${lease_expires_at}`
    ),
    ...thoughts.map(
      ({ gist, id, position, type }) => `     thought ${id} (event ${position}, ${type}): ${gist}`
    ),
    `     ${endText(attempt)}`
  ].map(printable)
}

const stepLines = (shown: ShownStep): ReadonlyArray<Line> => {
  const ended = shown.lease_ended ? ", which is past: the step waits again once it is requeued" : ""
  return [
    ...fieldLines([
      ["step", shown.step_id],
      ["number", shown.short_id],
      ["status", shown.status],
      ...(shown.status === "LEASED"
        ? [
            [
              "lease",
              `${shown.lease_owner}, token ${shown.fencing_token}, until ${shown.lease_expires_at}${ended}`
            ] as const
          ]
        : []),
      ["job", shown.job_id],
      ["message", shown.message_id],
      ["run", shown.run_id],
      ["posted", placeText(shown.posted)]
    ]),
    ...bodySection("payload", shown.payload),
    ...(shown.attempts.length === 0 ? [] : ["", shown.earlier_attempts ? "newest attempts" : "attempts"]),
    ...shown.attempts.flatMap(attemptLines),
    ...(shown.receipt === null
      ? []
      : [
          "",
          ...fieldLines(receiptFields(shown.receipt)),
          ...bodySection("what it says", shown.receipt.receipt)
        ]),
    ...(shown.differs.length === 0
      ? []
      : [
          "",
          "the tables do not say what the events say: run cortex cassette verify",
          ...shown.differs.map((text) => printable(`  ${text}`))
        ])
  ]
}

const receiptLines = (shown: ShownReceipt): ReadonlyArray<Line> => [
  ...fieldLines([
    ...receiptFields(shown),
    ["step", shown.step_id],
    ["job", shown.job_id],
    ["message", shown.message_id],
    ["run", shown.run_id]
  ]),
  ...bodySection("what it says", shown.receipt)
]

const eventLines = (shown: ShownEvent): ReadonlyArray<Line> => [
  ...fieldLines([
    ["event", String(shown.position)],
    ["type", `${shown.type}, version ${shown.schema_version}`],
    ["stream", shown.stream_id],
    ["recorded", shown.recorded_at],
    ["says", shown.sentence],
    ...ifGiven("about", shown.about),
    ["hash", shown.hash],
    ["hash before", shown.prev_hash]
  ]),
  ...bodySection("data", shown.data)
]

const thoughtLines = (shown: ShownThought): ReadonlyArray<Line> => [
  ...fieldLines([
    ["thought", shown.id],
    ["type", shown.type],
    ["task", shown.task_id],
    ["agent", shown.agent_id],
    ["thought at", shown.timestamp],
    ["recorded", placeText(shown.recorded)],
    ["hash", shown.hash],
    ["hash before", shown.prev_hash]
  ]),
  ...bodySection("content", shown.content)
]

const runLines = (shown: ShownRun): ReadonlyArray<Line> => [
  ...fieldLines([
    ["run", shown.run_id],
    ["events", String(shown.events)],
    ...(shown.work === null
      ? ([["steps", "many: cortex cassette status counts them"]] as const)
      : ([
          ["messages", String(shown.work.messages)],
          ["jobs", String(shown.work.jobs)],
          ["steps", countsText(shown.work)],
          ["expired leases", String(shown.work.expired_leases)]
        ] as const)),
    ["oldest waiting step", shown.oldest_pending_step ?? "-"],
    ["first", placeText(shown.first)]
  ]),
  ...section(
    "held",
    shown.held,
    ["step", "worker", "token", "lease"],
    ({ expired, fencing_token, lease_expires_at, step_id, worker_id }) => [
      step_id,
      worker_id,
      String(fencing_token),
      `${lease_expires_at}${expired ? " expired" : ""}`
    ]
  ),
  ...section(
    "failed, newest first",
    shown.failed,
    ["step", "outcome", "worker", "event", "reason"],
    ({ outcome, position, reason, step_id, worker_id }) => [
      step_id,
      outcome,
      worker_id,
      String(position),
      reason
    ]
  ),
  "",
  "newest first",
  ...shown.newest.items.map((entry) => timelineLine(entry, false)),
  ...(shown.newest.more ? [printable(`cortex timeline --run-id ${shown.run_id} shows all`)] : [])
]

/** Everything about one thing, as lines. */
export const shownLines = (shown: Shown): ReadonlyArray<Line> => {
  switch (shown.kind) {
    case "message":
      return messageLines(shown)
    case "job":
      return jobLines(shown)
    case "step":
      return stepLines(shown)
    case "receipt":
      return receiptLines(shown)
    case "event":
      return eventLines(shown)
    case "thought":
      return thoughtLines(shown)
    case "run":
      return runLines(shown)
  }
}
