// The lines of a dossier's files, each in its one spelling: an event with its data as the log stores it; an event whose bodies
// were left out; a thought, as its event has it. A line that is read counts only when it is written as the same text again, so
// that no line has two meanings.
import { isJsonObject, type JsonObject, type JsonValue, MAX_STORED_DEPTH } from "../canonical/json.ts"
import { jcsText, jcsTextOfRead } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"
import { parseCanonicalJson } from "../canonical/stored-json.ts"
import { type EventEnvelope, hasFieldTypes } from "../ledger/event-envelope.ts"
import type { InclusionProof } from "../evidence/proof.ts"
import { isHashText } from "../ledger/thoughts/thought-record.ts"

/** An event whose bodies were left out: what is left of its data says their hashes. Its own hash cannot be computed from it. */
export interface WithheldEvent extends Omit<EventEnvelope, "data"> {
  /** The data's canonical text, with hashes in the place of bodies. */
  readonly withheld: string
}

/** A line of a dossier's events: an event as the ledger has it, or one whose body is withheld. */
export type DossierEvent = EventEnvelope | WithheldEvent

export const isWithheld = (event: DossierEvent): event is WithheldEvent => "withheld" in event

/** The canonical line of an event, without its line feed: keys in order, texts that are well formed, whole numbers. */
export const eventLine = (event: DossierEvent): string => {
  const { hash, position, prev_hash, recorded_at, schema_version, stream_id, type } = event
  const rest = { hash, position, prev_hash, recorded_at, schema_version, stream_id, type }
  return JSON.stringify(
    isWithheld(event) ? { ...rest, withheld: event.withheld } : { data: event.data, ...rest }
  )
}

const EVENT_MEMBERS = 8

/** The event that a line spells, or undefined when it is not the canonical line of one. */
export const parseEventLine = (line: string): DossierEvent | undefined => {
  const value = parseCanonicalJson(line)
  if (!isJsonObject(value) || Object.keys(value).length !== EVENT_MEMBERS) return undefined
  const event = value as unknown as DossierEvent
  return hasFieldTypes(isWithheld(event) ? { ...event, data: event.withheld } : event) ? event : undefined
}

/** The canonical line of an inclusion proof: the text of the proof as a document. */
export const proofLine = ({ hash, index, path, size }: InclusionProof): string =>
  JSON.stringify({ hash, index, kind: "inclusion", path, size })

/** The one form of such a line: a proof has no text that could be spelled in two ways. */
const PROOF_LINE =
  /^\{"hash":"([0-9a-f]{64})","index":(0|[1-9][0-9]*),"kind":"inclusion","path":\[((?:"[0-9a-f]{64}"(?:,"[0-9a-f]{64}")*)?)\],"size":([1-9][0-9]*)\}$/

/** The proof that a line spells, or undefined when it is not the canonical line of one. */
export const parseProofLine = (line: string): InclusionProof | undefined => {
  const [, hash = "", index = "", path = "", size = ""] = PROOF_LINE.exec(line) ?? []
  const proof: InclusionProof = {
    kind: "inclusion",
    hash,
    index: Number(index),
    path: path === "" ? [] : path.slice(1, -1).split('","'),
    size: Number(size)
  }
  return hash !== "" && Number.isSafeInteger(proof.index) && Number.isSafeInteger(proof.size)
    ? proof
    : undefined
}

/** The members of data that are bodies, by what their hashes are called. */
const bodies = { payload: "payload_sha256", receipt: "receipt_sha256", content: "content_sha256" } as const
type Body = keyof typeof bodies
const bodyNames = Object.keys(bodies) as ReadonlyArray<Body>

/** What stands in the place of a body that was left out, where an event's form asks for one. */
const noBody: { readonly [B in Body]: JsonValue } = { payload: {}, receipt: {}, content: "" }

/** Data with the bodies of a message, a completion or a thought replaced, those of steps of their own among them. */
const replaced = (data: JsonObject, replace: (part: JsonObject) => JsonObject): JsonObject => {
  const { steps } = data
  return replace(
    Array.isArray(steps)
      ? { ...data, steps: steps.map((step: JsonValue) => (isJsonObject(step) ? replace(step) : step)) }
      : data
  )
}

const withoutBodies =
  (sha256: Sha256) =>
  (part: JsonObject): JsonObject => {
    const members = Object.entries(part).map(([name, value]): readonly [string, JsonValue] => {
      const body = bodyNames.find((known) => known === name)
      if (body === undefined) return [name, value]
      return [
        bodies[body],
        sha256(typeof value === "string" ? value : jcsTextOfRead(value, MAX_STORED_DEPTH))
      ]
    })
    return Object.fromEntries(members)
  }

/** The part with empty bodies where hashes stand; a body that was not left out has no place in it. */
const withEmptyBodies = (part: JsonObject): JsonObject => {
  const members = Object.entries(part).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, JsonValue]> => {
      if (bodyNames.some((known) => known === name)) return []
      const body = bodyNames.find((known) => bodies[known] === name)
      if (body === undefined) return [[name, value]]
      return typeof value === "string" && isHashText(value) ? [[body, noBody[body]]] : []
    }
  )
  return Object.fromEntries(members)
}

/** The types of events that have bodies. */
const bodyTypes: ReadonlySet<string> = new Set(["MessagePosted", "StepCompleted", "ThoughtRecorded"])

/** True for an event that a dossier with hashed bodies does not show whole. */
export const hasBody = ({ type }: Pick<EventEnvelope, "type">): boolean => bodyTypes.has(type)

/** A stored event without its bodies; undefined when its data is no canonical object. */
export const withheldEvent = (sha256: Sha256, event: EventEnvelope): WithheldEvent | undefined => {
  const { data, ...rest } = event
  const value = parseCanonicalJson(data, MAX_STORED_DEPTH)
  if (!isJsonObject(value)) return undefined
  return { ...rest, withheld: jcsText(replaced(value, withoutBodies(sha256))) }
}

/** What is left of an event's data, with empty bodies where hashes stand; undefined when it is no canonical object. */
export const dataLeft = ({ withheld }: WithheldEvent): JsonObject | undefined => {
  const value = parseCanonicalJson(withheld, MAX_STORED_DEPTH)
  return isJsonObject(value) ? replaced(value, withEmptyBodies) : undefined
}

/** An event to be read: one whose bodies were left out, as if they were empty. */
export const readableEvent = (event: DossierEvent): EventEnvelope => {
  if (!isWithheld(event)) return event
  const { withheld, ...rest } = event
  const left = dataLeft(event)
  return { ...rest, data: left === undefined ? withheld : jcsText(left) }
}

/** The canonical line of a thought: its event's data and its task. */
export const thoughtLine = (event: DossierEvent, taskId: string): string | undefined => {
  const value = parseCanonicalJson(isWithheld(event) ? event.withheld : event.data, MAX_STORED_DEPTH)
  return isJsonObject(value) ? jcsText({ ...value, task_id: taskId }) : undefined
}
