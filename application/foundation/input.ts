// Strict decoding of what callers pass: unknown keys are errors, every issue is listed with its path, and the
// value itself is not repeated, since it may be private. What passes here fits its Schema and every limit.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { plainIssues, pointerOf } from "../../domain/canonical/plain-issues.ts"
import { invalidAt, type InvalidInput, invalidInput } from "../../domain/foundation/errors.ts"

/** All issues of a failed decoding as one error; paths are JSON pointers. */
export const undecoded = (issue: SchemaIssue.Issue): InvalidInput =>
  invalidInput(plainIssues(issue).map(({ message, path }) => ({ path: pointerOf(path), message })))

/** Only code of the caller's value can throw where it is read: a getter, or the traps of a proxy. */
const UNREADABLE = invalidAt("", "the value cannot be read: one of its members throws")

/** A copy of an object's own members, each read once, for what must be looked at before it is decoded. */
export const copyOf = <A extends object>(given: A): Result.Result<A, InvalidInput> => {
  if (typeof given !== "object" || given === null) return Result.fail(invalidAt("", "Expected an object"))
  try {
    return Result.succeed({ ...given })
  } catch {
    return Result.fail(UNREADABLE)
  }
}

/** Arguments by their names: texts, and options, which may be left out. */
interface Arguments {
  readonly texts?: Readonly<Record<string, unknown>>
  readonly options?: unknown
}

const argumentFault = ({ options, texts = {} }: Arguments): InvalidInput | undefined => {
  const wrong = Object.keys(texts).find((name) => typeof texts[name] !== "string")
  if (wrong !== undefined) return invalidAt(`/${wrong}`, "Expected string")
  const isObject = typeof options === "object" && options !== null && !Array.isArray(options)
  return options === undefined || isObject ? undefined : invalidAt("/options", "Expected object")
}

/** Runs an operation on arguments that are what their types say; a program without types may give others. */
export const onArguments = <A, E, R>(
  given: Arguments,
  work: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | InvalidInput, R> =>
  Effect.suspend((): Effect.Effect<A, E | InvalidInput, R> => {
    const fault = argumentFault(given)
    return fault === undefined ? work() : Effect.fail(fault)
  })

/** Decodes with a Schema, strictly, then prepares; one function per command, built once. */
export const decodeInput = <S extends Schema.Decoder<unknown>, Prepared>(
  schema: S,
  prepare: (input: S["Type"]) => Result.Result<Prepared, InvalidInput>
): ((input: S["Type"]) => Result.Result<Prepared, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error", errors: "all" })
  return (input) => {
    try {
      const decoded = decode(input)
      return Result.isFailure(decoded)
        ? Result.fail(undecoded(decoded.failure.issue))
        : prepare(decoded.success)
    } catch {
      return Result.fail(UNREADABLE)
    }
  }
}
