// What a tool is before any protocol: a name, sentences that tell an agent when to use it, one strict Schema of what goes
// in that is both shown and held, honest hints, and a function. How results and errors are wrapped is the same for all and
// stands in `result.ts`; a tool never writes to a stream and never sees the protocol.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeInput } from "../../../application/foundation/input.ts"
import type { MemoryPlace } from "../../../application/network/memory-questions.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import { MAX_ANSWER_BYTES, MIN_ANSWER_BYTES } from "../../../domain/canonical/answer-budget.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import { actingAgent, Caller } from "../caller.ts"
import type { CorpusAccess } from "../corpus-access.ts"
import type { ToolFailure } from "../failures.ts"
import type { LedgerAccess } from "../ledger-access.ts"
import type { NetworkAccess } from "../network-access.ts"
import type { RootFolder } from "../root-folder.ts"

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

/** Decoded by tests without any service. */
type DataSchema = Schema.Decoder<unknown> & Schema.Top

type InputSchema = Schema.Decoder<unknown> & Schema.Top

/** How a call goes on where an answer was cut: the field that was cut, and arguments from what was given and shown of it. */
export interface GoingOn<Input> {
  readonly field: string
  readonly next: (input: Input, shown: unknown) => Readonly<Record<string, unknown>>
}

/** A tool with its types closed over. */
export interface AgentTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** What is said beside the description of a network that is open. */
  readonly ofNetwork: ((places: ReadonlyArray<MemoryPlace>, speaksForOne: boolean) => string) | undefined
  readonly hints: ToolHints
  /** What goes in, for a server that speaks for one agent or for none. */
  readonly input: (speaksForOne: boolean) => InputSchema
  readonly data: DataSchema
  /** How long an answer is at most when the call does not say (bytes); undefined where it cannot say. */
  readonly defaultBytes: number | undefined
  readonly goesOn: GoingOn<Readonly<Record<string, unknown>>> | undefined
  /** How a text is read whole that was shortened inside a list. */
  readonly readWhole: string | undefined
  readonly call: (input: unknown) => Effect.Effect<object, ToolFailure, ToolServices>
}

interface Definition<Fields extends Schema.Struct.Fields, Data extends DataSchema> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly ofNetwork?: AgentTool["ofNetwork"]
  readonly hints: ToolHints
  readonly input: Fields
  readonly data: Data
  /** Given where an answer may be long: the call may then say how long, and is this long by default (bytes). */
  readonly defaultBytes?: number
  readonly goesOn?: GoingOn<Schema.Struct<Fields>["Type"]>
  readonly readWhole?: string
}

type Run<Input, Data> = (input: Input) => Effect.Effect<Data & object, ToolFailure, ToolServices>

/** An argument with its description and examples. */
export const argument = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: Array<S["Type"]>
) => schema.annotate({ description, ...(examples.length === 0 ? {} : { examples }) } as never) as S["Rebuild"]

const maxBytes = (defaultBytes: number) =>
  Schema.optionalKey(
    argument(
      Schema.Int.check(Schema.isBetween({ minimum: MIN_ANSWER_BYTES, maximum: MAX_ANSWER_BYTES })),
      `most bytes of the answer (default ${defaultBytes})`
    )
  )

const closed = <Fields extends Schema.Struct.Fields, Data extends DataSchema>(
  { defaultBytes, goesOn, input, ofNetwork, readWhole, ...described }: Definition<Fields, Data>,
  actor: (speaksForOne: boolean) => Schema.Struct.Fields,
  run: Run<Readonly<Record<string, unknown>>, Data["Type"]>
): AgentTool => {
  const budget = defaultBytes === undefined ? {} : { max_bytes: maxBytes(defaultBytes) }
  const inputOf = (speaksForOne: boolean) =>
    Schema.Struct({ ...input, ...actor(speaksForOne), ...budget }) as unknown as InputSchema
  type Decode = (input: unknown) => Result.Result<Readonly<Record<string, unknown>>, InvalidInput>
  const decoders = new Map<boolean, Decode>()
  const decoderFor = (speaksForOne: boolean): Decode => {
    const decode =
      decoders.get(speaksForOne) ?? (decodeInput(inputOf(speaksForOne), Result.succeed) as Decode)
    decoders.set(speaksForOne, decode)
    return decode
  }
  return {
    ...described,
    defaultBytes,
    ofNetwork,
    goesOn: goesOn as AgentTool["goesOn"],
    readWhole,
    input: inputOf,
    call: (given) =>
      Effect.gen(function* () {
        const { agent } = yield* Caller
        const { max_bytes: _, ...wanted } = yield* Effect.fromResult(decoderFor(agent !== undefined)(given))
        return yield* run(wanted)
      })
  }
}

/** Makes a tool: its input is decoded strictly, so that an argument that it does not know is an error with its path. */
export const agentTool = <Fields extends Schema.Struct.Fields, Data extends DataSchema>({
  run,
  ...definition
}: Definition<Fields, Data> & {
  readonly run: Run<Schema.Struct<Fields>["Type"], Data["Type"]>
}): AgentTool => closed(definition, () => ({}), run as Run<Readonly<Record<string, unknown>>, Data["Type"]>)

/**
 * As `agentTool`, for one who acts in a name: that of the server's agent, or the one that the argument `actor` gives, which
 * must be given where the server has no agent.
 */
export const actingTool = <
  Actor extends string,
  Fields extends Schema.Struct.Fields,
  Data extends DataSchema
>({
  actor,
  actorIs,
  run,
  ...definition
}: Definition<Fields, Data> & {
  readonly actor: Actor
  /** Describes the argument. */
  readonly actorIs: string
  readonly run: Run<Schema.Struct<Fields>["Type"] & Readonly<Record<Actor, string>>, Data["Type"]>
}): AgentTool => {
  const argument = Identifier.annotate({ description: actorIs })
  const optional = Schema.optionalKey(
    Identifier.annotate({ description: `${actorIs} (default: this server's agent, and no other)` })
  )
  return closed(
    definition,
    (speaksForOne) => ({ [actor]: speaksForOne ? optional : argument }),
    Effect.fnUntraced(function* (input: Readonly<Record<string, unknown>>) {
      const acting = yield* actingAgent(actor, input[actor] as string | undefined)
      return yield* run({ ...input, [actor]: acting } as unknown as Parameters<typeof run>[0])
    })
  )
}

/** Hints of a tool that only reads. */
export const reads: ToolHints = { readOnly: true, destructive: false, idempotent: true }

/** Hints of a tool that adds something at every call. */
export const adds: ToolHints = { readOnly: false, destructive: false, idempotent: false }

/** A text argument with its description and examples. */
export const textArgument = (description: string, ...examples: Array<string>) =>
  argument(Schema.String, description, ...examples)

/** A JSON object argument with its description. */
export const objectArgument = (description: string) =>
  Schema.Record(Schema.String, Schema.Unknown).annotate({ description })
