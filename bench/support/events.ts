// The texts of the events that the benchmarks write, made without the product: canonical by construction, since
// every member is written in order and every value is plain. They are the floor that the product is held against.
import { hash } from "node:crypto"

/** The head that an event is appended to. */
export interface RawHead {
  readonly position: number
  readonly hash: string
}

/** An event that is not hashed yet. */
export interface RawEvent {
  readonly type: "MessagePosted" | "StepClaimed" | "StepCompleted" | "ThoughtRecorded"
  readonly stream_id: string
  readonly data: string
}

const filler = "read the section, compare it with the last one and say what changed; ".repeat(4)

/** A payload whose canonical text is 230 bytes long, another one for every number below ten million. */
export const payload = (number: number) => ({
  constraints: { slice: "lines[0:80]" },
  intent: "summarise",
  note: filler.slice(0, 96),
  op: "READ_SYMBOL",
  refs: { symbol_id: `@DOCS/chapter-${String(number).padStart(7, "0")}` }
})

/** What a worker hands in: about what reading a section leaves behind. */
export const receipt = (number: number) => ({
  bytes_read: 1_000 + (number % 1_000),
  cache: "HIT",
  payload_hash: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
  slice: "lines[0:80]"
})

/** The id of the message at a position, from its key or its position. */
export const messageIdAt = (run: string, position: number, key: string | null): string => {
  const source = key === null ? ["message", run, "position", position] : ["message", run, "key", key]
  const digest = hash("sha256", JSON.stringify(source), "hex").slice(0, 16)
  return `msg_${String(position).padStart(13, "0")}_${digest}`
}

/** The id of a message's step, by the ordinals of its job and of itself. */
export const stepIdOf = (messageId: string, job: number, step: number): string =>
  `step_${messageId.slice(4)}.${String(job).padStart(4, "0")}.${String(step).padStart(5, "0")}`

/** A message with one step that carries the payload; `payloadText` must be canonical. */
export const posted = (
  run: string,
  messageId: string,
  key: string | null,
  payloadText: string
): RawEvent => ({
  type: "MessagePosted",
  stream_id: `run:${run}`,
  data: `{"idempotency_key":${key === null ? "null" : `"${key}"`},"message_id":"${messageId}","payload":${payloadText},"source":"USER"}`
})

/** A message with one job of many steps; the texts must be canonical. */
export const postedSteps = (run: string, messageId: string, steps: ReadonlyArray<string>): RawEvent => ({
  type: "MessagePosted",
  stream_id: `run:${run}`,
  data: `{"idempotency_key":null,"jobs":["summarise"],"message_id":"${messageId}","payload":{},"source":"PLANNER","steps":[${steps
    .map((step) => `{"job":1,"payload":${step}}`)
    .join(",")}]}`
})

export const claimed = (
  run: string,
  stepId: string,
  token: number,
  worker: string,
  until: string
): RawEvent => ({
  type: "StepClaimed",
  stream_id: `run:${run}`,
  data: `{"fencing_token":${token},"lease_expires_at":"${until}","scope":"run","step_id":"${stepId}","worker_id":"${worker}"}`
})

export const completed = (
  run: string,
  stepId: string,
  token: number,
  worker: string,
  receiptText: string
): RawEvent => ({
  type: "StepCompleted",
  stream_id: `run:${run}`,
  data: `{"fencing_token":${token},"outcome":"SUCCESS","receipt":${receiptText},"step_id":"${stepId}","worker_id":"${worker}"}`
})

const THOUGHT_TIME = "2026-04-17T00:00:00Z"

/** The content of a thought: about a sentence. */
export const content = (number: number): string => `${filler.slice(0, 120)}${number}`

/** A thought behind the one with this hash, and its own hash, by the rule of thought records. */
export const thought = (task: string, number: number, prevHash: string): RawEvent & { hash: string } => {
  const id = `${task}-${number}`
  const text = content(number)
  const hashed = hash(
    "sha256",
    `{"content":"${text}","id":"${id}","prev_hash":"${prevHash}","task_id":"${task}","timestamp":"${THOUGHT_TIME}","type":"plan"}`,
    "hex"
  )
  return {
    type: "ThoughtRecorded",
    stream_id: `task:${task}`,
    data: `{"agent_id":"agent-1","content":"${text}","hash":"${hashed}","id":"${id}","prev_hash":"${prevHash}","timestamp":"${THOUGHT_TIME}","type":"plan"}`,
    hash: hashed
  }
}

/** The hash of the event that follows `head`; the text is what `jcs/1` makes of these members. */
export const hashAfter = (head: RawHead, event: RawEvent, recordedAt: string): string =>
  hash(
    "sha256",
    JSON.stringify([
      "cassette/event/1",
      head.position + 1,
      event.type,
      event.stream_id,
      1,
      event.data,
      recordedAt,
      head.hash
    ]),
    "hex"
  )
