// Strict decoding of what callers pass: unknown keys are errors, every issue is listed with its path, and the
// value itself is not repeated, since it may be private. What passes here fits its Schema and every limit.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { plainIssues, pointerOf } from "../../domain/canonical/plain-issues.ts"
import { invalidAt, type InvalidInput, invalidInput } from "../../domain/foundation/errors.ts"

/** All issues of a failed decoding as one error; paths are JSON pointers. */
export const undecoded = (issue: SchemaIssue.Issue): InvalidInput =>
  invalidInput(plainIssues(issue).map(({ message, path }) => ({ path: pointerOf(path), message })))

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
      // Only code of the caller's value can throw here: a getter, or the traps of a proxy.
      return Result.fail(invalidAt("", "the value cannot be read: one of its members throws"))
    }
  }
}
