// INSERTs into the log that aim well: an event that is legal now, made of live rows with its right place, link and hash;
// then nothing, its hash or one thing of it is twisted; then it is said in one of the many ways that SQL has.

import { hasTimestamp, timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { messageIdAt } from "../../../domain/ledger/ids.ts"
import { ZERO_HASH } from "../../../domain/ledger/limits.ts"
import { sha256 } from "../../../infrastructure/hashing/node-hashing.ts"
import { type Fact, hashOf, literal, rowAfter, thoughtFact } from "../../../migrations/testing/ledger.ts"
import type { Dice } from "./dice.ts"
import type { Cell, HostileLedger, Row } from "./hostile-ledger.ts"

/** The columns of an event, each as the SQL text of its value. */
type EventSql = Readonly<Record<string, string>>

type Fields = Record<string, unknown>

/** What an event is made from. */
interface Live {
  readonly events: ReadonlyArray<EventEnvelope>
  rows(table: string): ReadonlyArray<Row>
}

/** A time so many seconds after another; what comes after a value that is no time is that value again. */
const later = (time: string, seconds: number): string => {
  const millis = Date.parse(time) + seconds * 1_000
  return hasTimestamp(millis) ? timestampFromMillis(millis) : time
}

const PAYLOADS: ReadonlyArray<object> = [
  {},
  { intent: "read" },
  { intent: 7, n: -0.5 },
  { intent: "", list: [1, [2, { three: null }]], text: "é\u2028\u007f😀\"\\ '" },
  { a: 1e21, b: 5e-324, c: true }
]

const TRACES = [
  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  "fe-00000000000000000000000000000001-8000000000000000-ff"
]

/** What the data has of a traceparent: mostly nothing. */
const trace = (dice: Dice): Fields => (dice.once(4) ? { traceparent: dice.pick(TRACES) } : {})

const post = (dice: Dice, live: Live, run: string, time: string): Fact => {
  const position = live.events.length + 1
  const used = live.rows("cassette_messages").map((row) => row["idempotency_key"] ?? null)
  const idempotency_key = dice.pick<Cell>([null, null, `key-${position}`, ...dice.some(used)])
  const data: Fields = {
    idempotency_key,
    message_id: messageIdAt(sha256, run, position, idempotency_key as string | null),
    payload: dice.pick(PAYLOADS),
    source: dice.pick(["USER", "PLANNER", "SYSTEM", "WORKER"]),
    ...trace(dice)
  }
  if (dice.once(3)) {
    const jobs = 1 + dice.under(3)
    const steps = Array.from({ length: jobs }, (_, job) =>
      Array.from({ length: 1 + dice.under(2) }, () => ({ job: job + 1, payload: dice.pick(PAYLOADS) }))
    )
    data["jobs"] = Array.from({ length: jobs }, () => dice.pick(["", "look", "é"]))
    data["steps"] = steps.flat()
  }
  return { type: "MessagePosted", stream_id: `run:${run}`, data, recorded_at: time }
}

const claim = (dice: Dice, live: Live, run: string, time: string): Fact | undefined => {
  const waiting = live
    .rows("cassette_steps")
    .filter((row) => row["status"] === "PENDING" && row["run_id"] === run)
  waiting.sort((left, right) => (String(left["step_id"]) < String(right["step_id"]) ? -1 : 1))
  const scope = dice.pick(["run", "job"])
  const job = scope === "job" && waiting.length > 0 ? dice.pick(waiting)["job_id"] : undefined
  const step = waiting.find((row) => job === undefined || row["job_id"] === job)
  if (step === undefined) return undefined
  const data = {
    fencing_token: Number(step["fencing_token"]) + 1,
    lease_expires_at: later(time, 1 + dice.under(600)),
    scope,
    step_id: step["step_id"],
    worker_id: dice.pick(["worker", "Worker-1"]),
    ...trace(dice)
  }
  return { type: "StepClaimed", stream_id: `run:${run}`, data, recorded_at: time }
}

const ofLease = (dice: Dice, live: Live): Row | undefined => {
  const leased = live.rows("cassette_steps").filter((row) => row["status"] === "LEASED")
  return leased.length === 0 ? undefined : dice.pick(leased)
}

const complete = (dice: Dice, live: Live, time: string): Fact | undefined => {
  const step = ofLease(dice, live)
  if (step === undefined) return undefined
  const data = {
    fencing_token: step["fencing_token"],
    outcome: dice.pick(["SUCCESS", "FAILURE", "ABORTED"]),
    receipt: dice.pick(PAYLOADS),
    step_id: step["step_id"],
    worker_id: step["lease_owner"],
    ...trace(dice)
  }
  return { type: "StepCompleted", stream_id: `run:${step["run_id"]}`, data, recorded_at: time }
}

const renew = (dice: Dice, live: Live, time: string): Fact | undefined => {
  const step = ofLease(dice, live)
  if (step === undefined) return undefined
  const previous_token = Number(step["fencing_token"])
  const data = {
    fencing_token: previous_token + 1,
    lease_expires_at: later(time, 1 + dice.under(600)),
    previous_token,
    step_id: step["step_id"],
    worker_id: step["lease_owner"]
  }
  return { type: "LeaseRenewed", stream_id: `run:${step["run_id"]}`, data, recorded_at: time }
}

const requeue = (dice: Dice, live: Live, time: string): Fact | undefined => {
  const step = ofLease(dice, live)
  if (step === undefined) return undefined
  const cause = dice.pick(["expired", "released", "forced"])
  const end = String(step["lease_expires_at"])
  const data = {
    cause,
    fencing_token: step["fencing_token"],
    reason: "stuck",
    requested_by: dice.pick(["operator", String(step["lease_owner"])]),
    step_id: step["step_id"],
    worker_id: step["lease_owner"]
  }
  const recorded_at = cause === "expired" && time < end ? end : time
  return { type: "StepRequeued", stream_id: `run:${step["run_id"]}`, data, recorded_at }
}

const think = (dice: Dice, live: Live, time: string): Fact => {
  const task_id = dice.pick(["task-a", "task-b", "task-new"])
  const newest = live.rows("thought_records").findLast((row) => row["task_id"] === task_id)
  const thought = {
    id: `thought-${live.events.length + 1}`,
    type: dice.pick(["plan", "analysis", "decision", "reflection"]),
    task_id,
    agent_id: "agent",
    content: dice.pick(["", "é😀 '"]),
    timestamp: "2026-04-17T00:00:00+02:00",
    prev_hash: String(newest?.["hash"] ?? ZERO_HASH)
  }
  return thoughtFact(thought, time)
}

/** An event that the ledger would take now; of each kind, as often as there is something for it. */
const legalFact = (dice: Dice, live: Live): Fact => {
  const newest = live.events.at(-1)
  if (newest === undefined) {
    const recorded_at = "2026-01-01T00:00:00.000Z"
    return { type: "LedgerCreated", stream_id: "ledger", data: { ledger_id: "ledger" }, recorded_at }
  }
  const time = later(newest.recorded_at, dice.pick([0, 0, 0.001, 1, 70]))
  const run = dice.pick(["run-a", "run-a", "run-b"])
  const kind = dice.pick(["post", "claim", "claim", "complete", "complete", "renew", "requeue", "think"])
  const make: Readonly<Record<string, () => Fact | undefined>> = {
    claim: () => claim(dice, live, run, time),
    complete: () => complete(dice, live, time),
    renew: () => renew(dice, live, time),
    requeue: () => requeue(dice, live, time),
    think: () => think(dice, live, time)
  }
  return make[kind]?.() ?? post(dice, live, run, time)
}

/** Values that stand near what could be right somewhere: live cells, neighbours of numbers and times, and nonsense. */
export const wrongValue = (dice: Dice, ledger: HostileLedger, right: unknown): unknown => {
  const cells = ledger.rows(dice.pick(ledger.tables).name).flatMap((row) => Object.values(row))
  const neighbours =
    typeof right === "number"
      ? [right + 1, right - 1, -right, right + 0.5, String(right), right * 2 ** 40]
      : typeof right === "string"
        ? [
            `${right} `,
            `${right}\0`,
            right.slice(0, -1),
            right.slice(1),
            right.toUpperCase(),
            right.replace("Z", "+00:00"),
            right.replace(/[0-9](?=[^0-9]*$)/, (digit) => String((Number(digit) + 1) % 10)),
            `${right}é`,
            right.replace("-", "").replace(/$/, "0"),
            right.replace(/^[0-9a-f]{2}-/, "ff-"),
            right.replace(/[1-9a-f](?=[0-9a-f-]*$)/g, "0")
          ]
        : [{}, [], [right]]
  return dice.pick<unknown>([...neighbours, ...neighbours, ...dice.some(cells), null, "", 0, 1, true, "x"])
}

/** Other texts of one JSON value, and texts that are nearly one. */
const respelt = (dice: Dice, text: string): string =>
  dice.pick([
    text.replace(":", ": "),
    ` ${text}`,
    `${text}\n`,
    text.replace(/"([a-z])/, (_, letter: string) => `"\\u00${letter.charCodeAt(0).toString(16)}`),
    text.replace(/:([0-9]+)([,}])/, ":$1.0$2"),
    text.replace(/:([0-9]+)([,}])/, ":$1e0$2"),
    text.replace(/^\{("[a-z_]+":[^,{}]+),/, "{$1,$1,"),
    text.replace(/^\{(.*)\}$/s, '{"a":1,$1}'),
    text.replace(/"([a-z_]+)":/, "$1:"),
    text.replace(/"/g, "'"),
    text.slice(0, -1),
    `[${text}]`,
    text.replace(/^\{("[a-z_]+":[^,{}]+),(.*)\}$/s, "{$2,$1}"),
    text.replace(/"([a-z]+)"\}$/, '"$1\\u0000"}'),
    text.replace("{}", '{"x":"\\u0000"}')
  ])

const twistedData = (dice: Dice, ledger: HostileLedger, data: Fields): Fields => {
  const key = dice.pick(Object.keys(data))
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== key))
  return dice.weighted<Fields>([
    [6, { ...data, [key]: wrongValue(dice, ledger, data[key]) }],
    [1, rest],
    [1, { ...rest, [`${key}x`]: data[key] }],
    [1, { ...data, extra: null }]
  ])
}

/** A legal event after these, or one that is wrong in one thing: its columns as SQL. */
const eventSql = (dice: Dice, ledger: HostileLedger, live: Live): readonly [EventSql, EventEnvelope] => {
  const fact = legalFact(dice, live)
  const newest = live.events.at(-1)
  const head = { size: live.events.length, hash: newest?.hash ?? ZERO_HASH }
  const honest = rowAfter(head, fact)
  const twist = dice.weighted([
    [4, "nothing"],
    [3, "hash"],
    [4, "column"],
    [12, "data"],
    [5, "text"]
  ])
  const twisted = (() => {
    switch (twist) {
      case "hash":
        return {
          ...honest,
          hash: dice.pick([
            "f".repeat(64),
            honest.prev_hash,
            hashOf({ ...honest, data: "{}" }),
            "A".repeat(64),
            null
          ])
        }
      case "column": {
        const column = dice.pick([
          "position",
          "type",
          "stream_id",
          "schema_version",
          "recorded_at",
          "prev_hash"
        ])
        const changed = {
          ...honest,
          [column]: wrongValue(dice, ledger, honest[column as keyof typeof honest])
        }
        return { ...changed, hash: hashOf(changed) }
      }
      case "data":
        return rowAfter(head, { ...fact, data: twistedData(dice, ledger, fact.data as Fields) })
      case "text":
        return rowAfter(head, { ...fact, data: respelt(dice, String(honest.data)) })
      default:
        return honest
    }
  })()
  const columns = Object.entries(twisted).map(([column, value]) => [column, literal(value)] as const)
  return [Object.fromEntries(columns), twisted as EventEnvelope]
}

// The same value, asked of the database itself.
const computed: Readonly<Record<string, ReadonlyArray<string>>> = {
  position: [
    "(SELECT size + 1 FROM head)",
    "(SELECT max(position) + 1 FROM events)",
    "(SELECT count(*) + 1 FROM events)"
  ],
  prev_hash: ["(SELECT hash FROM head)", "(SELECT hash FROM events ORDER BY position DESC LIMIT 1)"]
}

const selected = (values: EventSql): string =>
  `SELECT ${Object.entries(values)
    .map(([column, value]) => `${value} AS "${column}"`)
    .join(", ")}`

const listed = (values: EventSql): string => `(${Object.values(values).join(", ")})`

/** How a conflict is met: after the statement's first word, and after its values. */
export const VERBS: ReadonlyArray<string> = [
  "INSERT",
  "INSERT",
  "REPLACE",
  ...["REPLACE", "IGNORE", "FAIL", "ABORT", "ROLLBACK"].map((word) => `INSERT OR ${word}`)
]

/** Ends of an INSERT, for a table of these columns. */
export const endOfInsert = (
  dice: Dice,
  keys: ReadonlyArray<string>,
  columns: ReadonlyArray<string>
): string => {
  const column = dice.pick(columns)
  return dice.pick([
    "",
    "",
    "",
    " RETURNING *",
    " ON CONFLICT DO NOTHING",
    ` ON CONFLICT (${keys.join(", ")}) DO NOTHING RETURNING *`,
    ` ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${column} = excluded.${column}`,
    ` ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${column} = excluded.${column} WHERE true RETURNING *`,
    ` ON CONFLICT DO UPDATE SET ${column} = ${column}`
  ])
}

/** An INSERT of an event, or of two that follow each other. */
export const insertOfEvents = (dice: Dice, ledger: HostileLedger): string => {
  const [first, row] = eventSql(dice, ledger, ledger)
  const values: EventSql = Object.fromEntries(
    Object.entries(first).map(([column, value]) => [
      column === "position" && dice.once(8) ? dice.pick(["rowid", "_rowid_", "oid"]) : column,
      dice.once(6) ? dice.pick(computed[column] ?? [value]) : value
    ])
  )
  const names = `(${Object.keys(values).join(", ")})`
  const verb = dice.pick(VERBS)
  const rest = endOfInsert(dice, ["position"], Object.keys(first))
  const with_ = dice.once(8) ? `WITH next AS (${selected(values)}) ` : ""
  if (with_ !== "") return `${with_}${verb} INTO events ${names} SELECT * FROM next WHERE true${rest}`
  if (dice.once(8)) {
    // The rows of the state before stand for what the first event would change: good enough to be nearly right.
    const live = { events: [...ledger.events, row], rows: (table: string) => ledger.rows(table) }
    const [second] = eventSql(dice, ledger, live)
    const pair = dice.once(6) ? [listed(second), listed(values)] : [listed(values), listed(second)]
    return `${verb} INTO events ${names} VALUES ${pair.join(", ")}${rest}`
  }
  const source = dice.once(4) ? `${selected(values)} WHERE true` : `VALUES ${listed(values)}`
  const alias = dice.once(10) ? " AS newest" : ""
  return `${verb} INTO main.events${alias} ${names} ${source}${rest}`
}
