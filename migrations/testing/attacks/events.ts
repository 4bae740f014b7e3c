/**
 * Forged events: every field of the envelope and every key of `data`, in every type, wrong in every way that has a
 * name, and events that are well formed but claim what the ledger does not allow. Each is hashed as an honest event
 * is, so that only the fault itself can be the reason for a refusal.
 */
import type { Attack } from "../attack.ts"
import { canonical, insertEvent, messageIdAt, rowAfter, type EventRow, type Fact } from "../ledger.ts"
import { at, facts, head, headIn, legal, nextPosition, run, type State } from "../states.ts"

const forge = (
  name: string,
  state: State,
  fact: Fact,
  forged: Partial<EventRow>,
  verb = "INSERT"
): Attack => ({
  name: `${name}${verb === "INSERT" ? "" : `, ${verb}`}`,
  state,
  sql: insertEvent(rowAfter(headIn(state), fact, forged), verb),
  // A word that passes over a broken CHECK or NOT NULL of `events` itself; the rest must fail.
  silent: verb === "INSERT OR IGNORE"
})

const nul = "\u0000"

const withChar = (whole: string, index: number, char: string) =>
  whole.slice(0, index) + char + whole.slice(index + 1)

const badTimes = [
  null,
  "",
  at(49),
  "2025-12-31T23:59:59.999Z",
  "-4712-01-01T00:00:00.000Z",
  "2026-02-30T00:00:00.000Z",
  "2026-01-01T24:00:00.000Z",
  "2026-06-01T00:00:00Z",
  "2026-06-01T00:00:00.000",
  "2026-06-01T00:00:00.000+00:00",
  "2026-06-01 00:00:00.000Z",
  "2026-06-01T00:00:00.0000Z",
  "now",
  "2461000.5",
  `2026-06-01T00:00:00.000Z${nul}`
]

const text = (fact: Fact) => canonical(fact.data)

const envelopeFaults = (fact: Fact): ReadonlyArray<readonly [string, Partial<EventRow>]> => [
  ...[nextPosition + 1, nextPosition - 1, 1, 0, -1, null].map(
    (position) => [`position ${position}`, { position }] as const
  ),
  ...["x", 1.5].map((position) => [`position ${position}`, { position }] as const),
  ...[null, "", "0".repeat(64), head.hash.toUpperCase(), `${head.hash}${nul}`].map(
    (prev_hash) => [`prev_hash ${JSON.stringify(prev_hash)}`, { prev_hash }] as const
  ),
  ...badTimes.map((recorded_at) => [`recorded_at ${JSON.stringify(recorded_at)}`, { recorded_at }] as const),
  ...[
    null,
    "",
    "f".repeat(63),
    "f".repeat(65),
    "F".repeat(64),
    "g".repeat(64),
    `${"f".repeat(64)}${nul}`,
    `${"f".repeat(63)}${nul}`
  ].map((hash) => [`hash ${JSON.stringify(hash)}`, { hash }] as const),
  ...[
    null,
    "",
    "LedgerCreated",
    "Unknown",
    `${fact.type} `,
    fact.type.toLowerCase(),
    `${fact.type}${nul}`
  ].map((type) => [`type ${JSON.stringify(type)}`, { type }] as const),
  ...[null, 0, 2, 99, "x", 1.5].map(
    (schema_version) => [`schema_version ${schema_version}`, { schema_version }] as const
  ),
  ...[
    null,
    "",
    "run:",
    "run",
    "ledger",
    `RUN:${fact.stream_id.slice(4)}`,
    `task:${fact.stream_id.slice(4)}`,
    ` ${fact.stream_id}`,
    `${fact.stream_id}${nul}x`,
    // Each character of the kind in turn, the colon too.
    ...Array.from({ length: fact.stream_id.indexOf(":") + 1 }, (_, index) =>
      withChar(fact.stream_id, index, "x")
    )
  ].map((stream_id) => [`stream_id ${JSON.stringify(stream_id)}`, { stream_id }] as const),
  ...[
    null,
    "",
    "null",
    "1",
    '"x"',
    "[]",
    "{}",
    "{",
    `[${text(fact)}]`,
    `${text(fact)}${nul}`,
    `${text(fact)}${nul}}`,
    `${text(fact)}x`,
    text(fact).replaceAll('"', "'")
  ].map((data) => [`data ${JSON.stringify(data)}`, { data }] as const)
]

type Pair = readonly [string, unknown]

// The text of an object from its pairs, in the order in which they come, sorted or not, twice or not.
const objectText = (pairs: ReadonlyArray<Pair>) =>
  `{${pairs.map(([key, value]) => `${JSON.stringify(key)}:${canonical(value)}`).join(",")}}`

const typeOf = (value: unknown) => {
  if (value === null || Array.isArray(value)) {
    return value === null ? "null" : "array"
  }
  return Number.isInteger(value) ? "integer" : typeof value
}

const otherTypes = [null, true, 7, 1.5, "text", [], {}, ["text"]]

// What the format leaves open is no fault: a free object, and a name of the writer's choice where the ledger does
// not already have one to compare it with.
const isLegal = (fact: Fact, key: string, value: unknown): boolean => {
  if (key === "payload" || key === "receipt") {
    return typeOf(value) === "object"
  }
  if (key === "idempotency_key" && value === null) {
    return true
  }
  if (key === "content") {
    return typeof value === "string" && !value.includes(nul)
  }
  const isFree =
    key === "id" ||
    key === "agent_id" ||
    key === "idempotency_key" ||
    key === "ledger_id" ||
    key === "reason" ||
    (key === "worker_id" && fact.type === "StepClaimed") ||
    key === "requested_by"
  const mayBeEmpty = key === "reason" && !text(fact).includes("forced")
  return isFree && typeof value === "string" && !value.includes(nul) && (value !== "" || mayBeEmpty)
}

const valueFaults = (fact: Fact, key: string, value: unknown): ReadonlyArray<unknown> =>
  otherTypes
    .concat(typeof value === "string" ? ["", `${value}${nul}`, `${value}${nul}x`, ` ${value}`] : [])
    .filter((other) => other !== value && !isLegal(fact, key, other))

const dataFaults = (fact: Fact): ReadonlyArray<readonly [string, string]> => {
  const pairs: ReadonlyArray<Pair> = Object.entries(fact.data as object).toSorted(([a], [b]) =>
    a < b ? -1 : 1
  )
  const faults: Array<readonly [string, ReadonlyArray<Pair>]> = [
    ["with one key more", [...pairs, ["zz", 1]]],
    ["with one key more in front", [["a", 1], ...pairs]],
    ["with an empty key more", [["", 1], ...pairs]]
  ]
  for (const [index, [key, value]] of pairs.entries()) {
    const replaced = (...by: ReadonlyArray<Pair>) => pairs.toSpliced(index, 1, ...by)
    if (key !== "traceparent") faults.push([`without ${key}`, replaced()])
    faults.push(
      [`with ${key} twice`, replaced([key, value], [key, value])],
      [`with ${key} twice, the second null`, replaced([key, value], [key, null])],
      [`with ${key} in upper case`, replaced([key.toUpperCase(), value])],
      [`with a space after ${key}`, replaced([`${key} `, value])],
      [`with U+0000 after ${key}`, replaced([`${key}${nul}`, value])]
    )
    const after = pairs[index + 1]
    if (after !== undefined) {
      faults.push(
        [`with ${after[0]} before ${key}`, pairs.toSpliced(index, 2, after, [key, value])],
        // One key whose name reads like two.
        [
          `with ${key} and ${after[0]} in one`,
          pairs.toSpliced(index, 2, [`${key}:${typeOf(value)} ${after[0]}`, after[1]])
        ]
      )
    }
    for (const other of valueFaults(fact, key, value)) {
      faults.push([`with ${key} in data ${JSON.stringify(other)}`, replaced([key, other])])
    }
  }
  return faults.map(([name, faulty]) => [name, objectText(faulty)])
}

const firstFacts: ReadonlyArray<readonly [State, string, Fact]> = facts
  .slice(0, 1)
  .map((fact) => ["empty", "ledgerCreated", fact])
const nextFacts = Object.entries(legal).map(([name, fact]) => ["ledger", name, fact] as const)

/** Every fault of the envelope, in every type of event. */
export const envelopeAttacks: ReadonlyArray<Attack> = nextFacts.flatMap(([state, name, fact]) =>
  envelopeFaults(fact).map(([fault, forged]) => forge(`${name} with ${fault}`, state, fact, forged))
)

/** Every fault of `data`, in every type of event. */
export const dataAttacks: ReadonlyArray<Attack> = [...firstFacts, ...nextFacts].flatMap(
  ([state, name, fact]) =>
    dataFaults(fact).map(([fault, data]) => forge(`${name} ${fault}`, state, fact, { data }))
)

const created: Fact = {
  type: "LedgerCreated",
  stream_id: "ledger",
  data: { ledger_id: "mine" },
  recorded_at: at(60)
}

/** A ledger that begins otherwise than with LedgerCreated, or begins twice. */
export const beginningAttacks: ReadonlyArray<Attack> = [
  forge("a second LedgerCreated", "ledger", created, {}),
  ...nextFacts.map(([, name, fact]) => forge(`a ledger that begins with ${name}`, "empty", fact, {})),
  forge(
    "a ledger that begins with its first message",
    "empty",
    {
      ...legal.post,
      data: { ...(legal.post.data as object), message_id: messageIdAt(1, run) }
    },
    {}
  ),
  ...(
    [
      ["in a run's stream", { stream_id: "run:r1" }],
      ["at position 2", { position: 2 }],
      ["at position 0", { position: 0 }],
      ["in an unknown version", { schema_version: 2 }],
      ["with another prev_hash", { prev_hash: "f".repeat(64) }],
      ["before the year 0", { recorded_at: "-4712-01-01T00:00:00.000Z" }],
      ["at no time", { recorded_at: "yesterday" }]
    ] as const
  ).map(([name, forged]) => forge(`LedgerCreated ${name}`, "empty", created, forged))
]
