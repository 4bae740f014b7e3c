// What a planner is asked for: symbols and sections to read, in bounded slices, within budgets. Decoded
// strictly; floats are refused wherever they would end up in a bundle, whose canonical form knows integers alone.
import * as Schema from "effect/Schema"
import { py } from "../canonical/py.ts"
import type { JsonObject } from "../canonical/json.ts"
import { Identifier, textOfAtMost } from "../canonical/text.ts"
import * as Result from "effect/Result"
import { JsonObjectSchema } from "../ledger/events.ts"
import { MAX_STEPS_PER_MESSAGE, MAX_TEXT_BYTES } from "../ledger/limits.ts"
import { SectionId, SymbolId } from "./symbols.ts"

/** What will stand in a bundle's manifest, three levels deep. */
const Bundled = JsonObjectSchema.check(
  Schema.makeFilter((value: JsonObject) => Result.isSuccess(py({ steps: [{ value }] })), {
    expected: "an object without floats, lone surrogates and integers beyond 2^53-1, at most 61 levels deep"
  })
)

const Constraints = Bundled.check(
  Schema.makeFilter((value: JsonObject) => !Object.hasOwn(value, "slice"), {
    expected: 'constraints without the member "slice": give the slice beside the constraints'
  })
)

const optionsOfReference = {
  slice: Schema.optionalKey(Schema.String),
  constraints: Schema.optionalKey(Constraints),
  expected_outputs: Schema.optionalKey(Bundled)
}

/** A symbol to read: its id alone (it must have a default slice), or with a slice. */
const SymbolInput = Schema.Union([SymbolId, Schema.Struct({ symbol_id: SymbolId, ...optionsOfReference })])

/** A section to read. A section has no default slice, so that an id alone is refused as unbounded. */
const SectionInput = Schema.Union([
  SectionId,
  Schema.Struct({ section_id: SectionId, ...optionsOfReference })
])

/** A bound on what a plan costs. */
export const Budget = Schema.Int.check(
  Schema.isGreaterThanOrEqualTo(1, { expected: "a whole number from 1 on" })
)

const Intent = textOfAtMost(MAX_TEXT_BYTES)

/** A request for one job of reading; `request_id` makes it idempotent within its run. */
export const PlanRequest = Schema.Struct({
  run_id: Identifier,
  request_id: Identifier,
  intent: Intent,
  inputs: Schema.Struct({
    symbols: Schema.optionalKey(Schema.Array(SymbolInput)),
    sections: Schema.optionalKey(Schema.Array(SectionInput))
  }).check(
    Schema.makeFilter(
      ({
        sections = [],
        symbols = []
      }: {
        sections?: ReadonlyArray<unknown>
        symbols?: ReadonlyArray<unknown>
      }) => {
        const steps = sections.length + symbols.length
        return steps > 0 && steps <= MAX_STEPS_PER_MESSAGE
      },
      { expected: `at least one symbol or section, and at most ${MAX_STEPS_PER_MESSAGE} together` }
    )
  ),
  budgets: Schema.optionalKey(
    Schema.Struct({
      /** Most steps. */
      max_steps: Schema.optionalKey(Budget),
      /** Most bytes of UTF-8 over all slices, repeats counted, as the texts are when the plan is made. */
      max_bytes: Schema.optionalKey(Budget),
      /** Most different symbols. */
      max_symbols: Schema.optionalKey(Budget)
    })
  )
})
export type PlanRequest = typeof PlanRequest.Type

/** One thing to read; each way of writing it comes to this. */
export interface RequestedReference {
  readonly op: "READ_SYMBOL" | "READ_SECTION"
  readonly ref: string
  readonly slice: string | undefined
  readonly constraints: JsonObject
  readonly expected_outputs: JsonObject
}

type Input = Exclude<typeof SymbolInput.Type, string> | Exclude<typeof SectionInput.Type, string>

const requested = (op: RequestedReference["op"], ref: string, input: Partial<Input>): RequestedReference => ({
  op,
  ref,
  slice: input.slice,
  constraints: input.constraints ?? {},
  expected_outputs: input.expected_outputs ?? {}
})

/** What a request wants to read, in the order of its steps: symbols, then sections, repeats kept. */
export const requestedReferences = ({ inputs }: PlanRequest): ReadonlyArray<RequestedReference> => [
  ...(inputs.symbols ?? []).map((input) =>
    typeof input === "string"
      ? requested("READ_SYMBOL", input, {})
      : requested("READ_SYMBOL", input.symbol_id, input)
  ),
  ...(inputs.sections ?? []).map((input) =>
    typeof input === "string"
      ? requested("READ_SECTION", input, {})
      : requested("READ_SECTION", input.section_id, input)
  )
]
