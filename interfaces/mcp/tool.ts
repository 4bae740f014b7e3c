// What a tool is before any protocol: a name, sentences that tell an agent when to use it, strict Schemas of what goes in
// and comes out, honest hints, and a function. How results and errors are wrapped is the same for all and stands in
// `result.ts`; a tool never writes to a stream and never sees the protocol.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeInput } from "../../application/ledger/input.ts"
import type { InvalidInput } from "../../domain/ledger/errors.ts"
import type { ToolFailure } from "./failures.ts"
import type { CorpusAccess } from "./corpus-access.ts"
import type { LedgerAccess } from "./ledger-access.ts"
import type { Caller } from "./caller.ts"
import type { NetworkAccess } from "./network-access.ts"
import type { RootFolder } from "./root-folder.ts"

/** What tools may use. */
export type ToolServices = Caller | CorpusAccess | LedgerAccess | NetworkAccess | RootFolder

/** What a client may know about a tool's effects before it calls it. */
export interface ToolHints {
  /** It changes nothing. */
  readonly readOnly: boolean
  /** It may end or overwrite something, not only add. */
  readonly destructive: boolean
  /** The same call twice leaves what one leaves. */
  readonly idempotent: boolean
}

/** Decoded by tests and clients without any service. */
type DataSchema = Schema.Decoder<unknown> & Schema.Top

/** A tool with its types closed over. */
export interface AgentTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Schema.Top
  readonly data: DataSchema
  readonly hints: ToolHints
  readonly call: (input: unknown) => Effect.Effect<object, ToolFailure, ToolServices>
}

type ObjectSchema = Schema.Decoder<object> & Schema.Top

/** Makes a tool: its input is decoded strictly, so that an argument that it does not know is an error with its path. */
export const agentTool = <Input extends ObjectSchema, Data extends DataSchema>(definition: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: ToolHints
  readonly input: Input
  readonly data: Data
  readonly run: (input: Input["Type"]) => Effect.Effect<Data["Type"] & object, ToolFailure, ToolServices>
}): AgentTool => {
  const { run, ...described } = definition
  const decode: (input: Input["Type"]) => Result.Result<Input["Type"], InvalidInput> = decodeInput(
    definition.input,
    Result.succeed
  )
  // Whatever a client sends is decoded here first.
  return {
    ...described,
    call: (input) => Effect.flatMap(Effect.fromResult(decode(input as Input["Type"])), run)
  }
}

/** Hints of a tool that only reads. */
export const reads: ToolHints = { readOnly: true, destructive: false, idempotent: true }

/** Hints of a tool that adds something at every call. */
export const adds: ToolHints = { readOnly: false, destructive: false, idempotent: false }

/** A text argument with its description and examples. */
export const textArgument = (description: string, ...examples: ReadonlyArray<string>) =>
  Schema.String.annotate({ description, examples: [...examples] })

/** The input of a tool that takes no arguments; an empty Struct would take anything. */
export const noArguments = Schema.Record(Schema.String, Schema.Never)

/** A JSON object argument with its description. */
export const objectArgument = (description: string) =>
  Schema.Record(Schema.String, Schema.Unknown).annotate({ description })
