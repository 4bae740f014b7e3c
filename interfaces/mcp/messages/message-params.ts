// The parameters that each request of the protocol takes, as far as this server looks at them, so that a refusal says
// which member is wrong and why. Members that are not listed are left to the protocol's versions.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { undecoded } from "../../../application/foundation/input.ts"

const AnyObject = Schema.Record(Schema.String, Schema.Unknown)

const meta = {
  _meta: Schema.optionalKey(
    Schema.Struct({ progressToken: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int])) })
  )
}

/** Every list stands on one page, so that no cursor was ever handed out. */
const List = Schema.Struct({
  ...meta,
  cursor: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(() => false, {
        message: "must be left out: this server gives every list on one page"
      })
    )
  )
})

const Named = Schema.Struct({ ...meta, name: Schema.String, arguments: Schema.optionalKey(AnyObject) })
const Addressed = Schema.Struct({ ...meta, uri: Schema.String })

const schemas: Readonly<Record<string, Schema.Decoder<unknown> & Schema.Top>> = {
  initialize: Schema.Struct({
    ...meta,
    protocolVersion: Schema.String,
    capabilities: AnyObject,
    clientInfo: Schema.Struct({ name: Schema.String, version: Schema.String })
  }),
  "completion/complete": Schema.Struct({
    ...meta,
    ref: Schema.Union([
      Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String }),
      Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String })
    ]),
    argument: Schema.Struct({ name: Schema.String, value: Schema.String })
  }),
  "logging/setLevel": Schema.Struct({
    ...meta,
    level: Schema.Literals(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"])
  }),
  "prompts/get": Named,
  "prompts/list": List,
  "resources/list": List,
  "resources/read": Addressed,
  "resources/subscribe": Addressed,
  "resources/templates/list": List,
  "resources/unsubscribe": Addressed,
  "tools/call": Named,
  "tools/list": List
}

const decoders = new Map<string, (params: unknown) => string | undefined>()

const decoderOf = (method: string): ((params: unknown) => string | undefined) => {
  const known = decoders.get(method)
  if (known !== undefined) return known
  const decode = Schema.decodeUnknownResult(
    Object.hasOwn(schemas, method) ? schemas[method]! : Schema.Struct(meta),
    { errors: "all" }
  )
  const fault = (params: unknown): string | undefined => {
    const decoded = decode(params)
    return Result.isFailure(decoded) ? undecoded(decoded.failure.issue).message : undefined
  }
  decoders.set(method, fault)
  return fault
}

/** Why the parameters of a request cannot be taken, by JSON pointers into them; undefined when they can. */
export const paramsFault = (method: string, params: unknown): string | undefined => decoderOf(method)(params)
