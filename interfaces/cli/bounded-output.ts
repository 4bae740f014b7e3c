// Answers whose size depends on what is stored: hits and texts. They are within a budget of bytes in every format, and say
// what was left off and how to go on. A text that is asked for by its name is written whole, exactly as it is, unless
// `--max-bytes` bounds it.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flag from "effect/cli/Flag"
import {
  charactersOf,
  DEFAULT_ANSWER_BYTES,
  fitted,
  type LeftOff,
  MIN_ANSWER_BYTES,
  type ReadingOn,
  textFrom,
  withinBudget
} from "../../domain/canonical/answer-budget.ts"
import { isJsonObject, type JsonObject } from "../../domain/canonical/json.ts"
import { Host } from "../shared/host.ts"
import { Format, wholeNumberFlag } from "../shared/options.ts"
import { linesText, writeResult, writeVerbatim, writeWarnings } from "./output.ts"
import { type Line, printableJson } from "../shared/terminal-text.ts"

const bytesFlag = wholeNumberFlag("max-bytes", MIN_ANSWER_BYTES)

/** `--max-bytes` of commands that answer hits. */
export const maxBytesFlag = bytesFlag.pipe(
  Flag.withDefault(DEFAULT_ANSWER_BYTES),
  Flag.withDescription(
    `most bytes of the answer, from ${MIN_ANSWER_BYTES} on (default ${DEFAULT_ANSWER_BYTES}); what is left off is told`
  )
)

/** Flags of commands that answer one text. */
export const textFlags = {
  maxBytes: bytesFlag.pipe(
    Flag.optional,
    Flag.withDescription(
      `most bytes of the answer, from ${MIN_ANSWER_BYTES} on (default ${DEFAULT_ANSWER_BYTES}; a text that is printed exactly is whole by default)`
    )
  ),
  offset: wholeNumberFlag("offset", 0).pipe(
    Flag.withDefault(0),
    Flag.withDescription(
      "how many characters of the text to pass over, to go on where an answer was cut (default 0)"
    )
  )
}

/** What those flags say. */
export interface TextBounds {
  readonly maxBytes: Option.Option<number>
  readonly offset: number
}

/** An answer that is cut where it is larger than its budget. */
export interface BoundedAnswer<D extends object> {
  readonly data: D
  /** The lines that people read of as much as is shown. */
  readonly lines: (shown: D) => ReadonlyArray<Line>
  readonly maxBytes: number
  /** What to do for more beside a larger `--max-bytes`. */
  readonly more?: string
  /** The text that goes on with `--offset`, and how much of it was passed over. */
  readonly text?: { readonly field: string; readonly offset: number }
}

const warningOf = ({ cut_count, cuts, more, next }: LeftOff): string => {
  const parts = cuts.map(({ at, of, shown, unit }) => `${shown} of ${of} ${unit} of ${at}`)
  const others = cut_count > cuts.length ? ` and ${cut_count - cuts.length} other cuts` : ""
  const onward = Object.entries(next ?? {}).map(([name, value]) => `go on with --${name} ${value}; `)
  return `only a part is shown (${parts.join(", ")}${others}): ${onward.join("")}${more}`
}

/** Writes as much of an answer as its budget holds, in the format that was asked for. */
export const answerWithin = Effect.fnUntraced(function* <D extends object>({
  data,
  lines,
  maxBytes,
  more,
  text
}: BoundedAnswer<D>) {
  const isJson = (yield* Format) === "json"
  const { columns } = yield* Host
  const next: ReadingOn["next"] = (answer, cuts) => {
    const shown = isJson ? answer["data"] : answer
    const part = text !== undefined && isJsonObject(shown) ? shown[text.field] : undefined
    const at = `${isJson ? "/data" : ""}/${text?.field}`
    return text !== undefined && typeof part === "string" && cuts.some((cut) => cut.at === at)
      ? { offset: text.offset + charactersOf(part) }
      : undefined
  }
  const on = { more: `${more === undefined ? "" : `${more}; `}give a larger --max-bytes`, next }
  const written = isJson
    ? (answer: JsonObject) => `${printableJson(JSON.stringify(answer))}\n`
    : (answer: JsonObject) => linesText(lines(answer as unknown as D), columns("stdout"))
  const shown = withinBudget(isJson ? { ok: true, data } : data, maxBytes, on, written)
  yield* writeResult(written(shown as unknown as JsonObject))
  if (shown.left_off !== undefined) yield* writeWarnings([warningOf(shown.left_off)])
})

/** Writes one text: as JSON within a budget, else exactly as it is, whole unless the flags bound it. */
export const answerText = Effect.fnUntraced(function* <Field extends string>(
  data: Readonly<Record<Field, string>>,
  field: Field,
  { maxBytes, offset }: TextBounds
) {
  const rest = textFrom(data[field], offset)
  if ((yield* Format) === "json") {
    return yield* answerWithin({
      data: { ...data, [field]: rest },
      lines: () => [],
      maxBytes: Option.getOrElse(maxBytes, () => DEFAULT_ANSWER_BYTES),
      text: { field, offset }
    })
  }
  const bytes = Option.getOrElse(maxBytes, () => Infinity)
  const shown = String(fitted(rest, bytes, ({ value }) => String(value)).value)
  yield* writeVerbatim(shown)
  if (shown.length < rest.length) {
    const end = offset + charactersOf(shown)
    yield* writeWarnings([
      `only characters ${offset} to ${end} of ${charactersOf(data[field])} are shown: go on with --offset ${end}, or give a larger --max-bytes`
    ])
  }
})
