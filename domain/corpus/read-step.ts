// The step that reads: what its payload says, and what the receipt of having read says. Planner, worker and bundles
// all speak this one form; the ledger itself knows nothing of it. Source: docs/spec/corpus.md, "Steps that read".
import * as Schema from "effect/Schema"
import { isJsonObject, type JsonObject, type JsonValue } from "../canonical/json.ts"
import { JsonObjectSchema } from "../ledger/events.ts"
import { SectionId, SymbolId } from "./symbols.ts"

const READ_OPERATIONS = ["READ_SYMBOL", "READ_SECTION"] as const

/** What a step reads by: a symbol, or a section as it was when the work was planned. */
export type ReadOperation = (typeof READ_OPERATIONS)[number]

/** Any object whose `slice` is text; other members belong to anyone who executes the step. */
const Constraints = JsonObjectSchema.check(
  Schema.makeFilter((constraints: JsonObject) => typeof constraints["slice"] === "string", {
    expected: 'an object with the member "slice", a text'
  })
)

const ReadSymbol = Schema.Struct({
  op: Schema.Literal("READ_SYMBOL"),
  refs: Schema.Struct({ symbol_id: SymbolId }),
  constraints: Constraints,
  expected_outputs: JsonObjectSchema
})

const ReadSection = Schema.Struct({
  op: Schema.Literal("READ_SECTION"),
  refs: Schema.Struct({ section_id: SectionId }),
  constraints: Constraints,
  expected_outputs: JsonObjectSchema
})

/** The payload of a step that reads one bounded slice. */
export const ReadStep = Schema.Union([ReadSymbol, ReadSection])
export type ReadStep = typeof ReadStep.Type

/** The slice that a step reads, as its payload spells it. */
export const sliceOfStep = (step: ReadStep): string => String(step.constraints["slice"])

/** What a step refers to: the symbol's id or the section's. */
export const refOfStep = (step: ReadStep): string =>
  step.op === "READ_SYMBOL" ? step.refs.symbol_id : step.refs.section_id

const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/, { expected: "64 lower-case hex digits" }))

/** The receipt of a slice that was read: hashes of section and text, and whether it had been expanded before. */
export const ReadReceipt = Schema.Struct({
  step_id: Schema.String,
  op: Schema.Literals(READ_OPERATIONS),
  section_id: Hash,
  /** null for READ_SECTION. */
  symbol_id: Schema.NullOr(Schema.String),
  slice: Schema.String,
  section_content_hash: Hash,
  payload_hash: Hash,
  /** Bytes of UTF-8. */
  bytes_read: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  cache: Schema.Literals(["HIT", "MISS"])
})
export type ReadReceipt = typeof ReadReceipt.Type

/** What a resolved slice says about itself. */
export interface SliceReading {
  readonly section_id: string
  readonly slice: string
  readonly section_content_hash: string
  readonly payload_hash: string
  readonly bytes_expanded: number
  readonly cache: "HIT" | "MISS"
}

/** The receipt of a step that read. */
export const receiptOfReading = (step_id: string, step: ReadStep, reading: SliceReading): ReadReceipt => ({
  step_id,
  op: step.op,
  section_id: reading.section_id,
  symbol_id: step.op === "READ_SYMBOL" ? step.refs.symbol_id : null,
  slice: reading.slice,
  section_content_hash: reading.section_content_hash,
  payload_hash: reading.payload_hash,
  bytes_read: reading.bytes_expanded,
  cache: reading.cache
})

/** The receipt of a step that could not read; what the payload does not say is null. */
export interface FailedReadReceipt {
  readonly step_id: string
  readonly op: ReadOperation
  readonly section_id: string | null
  readonly symbol_id: string | null
  readonly slice: string | null
  readonly error: { readonly code: string; readonly message: string }
}

const textIn = (holder: JsonValue | undefined, name: string): string | null => {
  const value = isJsonObject(holder) ? holder[name] : undefined
  return typeof value === "string" ? value : null
}

/** What a payload says it wants to do, if it is reading. */
export const readOperationOf = (payload: JsonObject): ReadOperation | undefined =>
  READ_OPERATIONS.find((op) => op === payload["op"])

/** The receipt of a reading step that failed, well-formed or not. */
export const receiptOfFailure = (
  step_id: string,
  op: ReadOperation,
  payload: JsonObject,
  error: FailedReadReceipt["error"]
): FailedReadReceipt => ({
  step_id,
  op,
  section_id: op === "READ_SECTION" ? textIn(payload["refs"], "section_id") : null,
  symbol_id: op === "READ_SYMBOL" ? textIn(payload["refs"], "symbol_id") : null,
  slice: textIn(payload["constraints"], "slice"),
  error
})
