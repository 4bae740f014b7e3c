// Which runs a query is about: one, or those whose id begins with a text. Both are a range of ids, as SQLite orders them.
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import { Identifier } from "../canonical/text.ts"
import { invalidAt, type InvalidInput } from "../foundation/errors.ts"

/** One run, or the runs whose id begins with `prefix`; neither: all. */
export const runFields = { run_id: Schema.optional(Identifier), prefix: Schema.optional(Identifier) }

/** The ids from `from` on that stand before `before`; undefined: up to the last. */
export interface TextRange {
  readonly from: string
  readonly before: string | undefined
}

export const ALL_TEXTS: TextRange = { from: "", before: undefined }

const LAST_CODE_POINT = 0x10ffff
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** The first text, in the order of code points, behind all that begin with the prefix. */
const behindPrefix = (prefix: string): string | undefined => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) as number)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  const next = last + 1 === FIRST_SURROGATE ? LAST_SURROGATE + 1 : last + 1
  return String.fromCodePoint(...points, next)
}

/** The texts that begin with a prefix; all for the empty one. */
export const textsWithPrefix = (prefix: string): TextRange => ({
  from: prefix,
  before: behindPrefix(prefix)
})

/** The one text. U+0000 is in no id, so nothing stands between the text and the text with it. */
export const oneText = (text: string): TextRange => ({ from: text, before: `${text}\u0000` })

/** The range of run ids that the options mean; a run and a prefix exclude each other. */
export const runRange = ({
  prefix,
  run_id
}: {
  readonly run_id?: string | undefined
  readonly prefix?: string | undefined
}): Result.Result<TextRange, InvalidInput> => {
  if (run_id !== undefined && prefix !== undefined) {
    return Result.fail(invalidAt("/prefix", "use either run_id or prefix"))
  }
  if (run_id !== undefined) return Result.succeed(oneText(run_id))
  return Result.succeed(prefix === undefined ? ALL_TEXTS : textsWithPrefix(prefix))
}
