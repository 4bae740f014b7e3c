// `cortex bundle replay`: runs a bundle's steps with nothing but the bundle, twice, and writes the receipt. With an
// expected receipt it says whether the replay still gives the same, and where it first does not.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { replayBundle } from "../../../application/bundles/replay-bundle.ts"
import { Hashing } from "../../../application/foundation/hashing.ts"
import { Different, NotAReplayReceipt } from "../../../domain/bundles/errors.ts"
import {
  firstDifference,
  MAX_RECEIPT_BYTES,
  parseReceipt,
  receiptText
} from "../../../domain/bundles/replay.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { textFlag } from "../../shared/flags.ts"
import { readBytes } from "../json-file.ts"
import { writeNewFile } from "../new-file.ts"
import { absolutePath, Format } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { bundleArgument, judged } from "./verified-bundle.ts"

const bound = {
  limit: MAX_RECEIPT_BYTES,
  tooLarge: `the file is over ${MAX_RECEIPT_BYTES} bytes: no receipt is`
}

/** The receipt in a file that a flag names, if it does. */
const readReceipt = Effect.fnUntraced(function* (flag: string, file: Option.Option<string>) {
  if (Option.isNone(file)) return undefined
  const { bytes, path } = yield* readBytes(flag, file.value, bound)
  const { sha256 } = yield* Hashing
  const receipt = parseReceipt(sha256, bytes)
  return Result.isSuccess(receipt)
    ? receipt.success
    : yield* Effect.fail(new NotAReplayReceipt({ file: path, reason: receipt.failure }))
})

const fileFlag = (name: string, description: string) =>
  textFlag(name, "FILE", description).pipe(Flag.optional)

export const replayCommand = Command.make(
  "replay",
  {
    path: bundleArgument("path"),
    parent: fileFlag("parent", "the receipt before this one, whose hash goes into it; - is standard input"),
    expect: fileFlag("expect", "a receipt that this replay must equal; - is standard input"),
    out: fileFlag("out", "write the receipt to a new file instead of standard output")
  },
  Effect.fnUntraced(function* ({ expect, out, parent, path }) {
    const before = yield* readReceipt("--parent", parent)
    const expected = yield* readReceipt("--expect", expect)
    const receipt = yield* judged(replayBundle(yield* absolutePath("path", path), before))
    const difference = expected === undefined ? undefined : firstDifference(expected, receipt)
    if (difference !== undefined)
      return yield* Effect.fail(new Different({ verdict: "DIFFERENT", differences: [difference] }))
    const text = receiptText(receipt)
    if (Option.isSome(out)) yield* writeNewFile("--out", out.value, text)
    if (Option.isNone(out) && (yield* Format) === "text") return yield* writeResult(text)
    yield* answer({
      data: receipt,
      lines: () =>
        fieldLines([
          ["outcome", receipt.outcome],
          ["steps", String(receipt.steps.length)],
          ["root", receipt.root_hash],
          ["receipt", receipt.receipt_hash]
        ])
    })
  }, Effect.provide(bundleFilesLayer))
).pipe(
  Command.validate(({ expect, parent }) =>
    Option.contains(expect, "-") && Option.contains(parent, "-")
      ? Effect.fail(
          new CliError.ValidationError({ message: "Standard input can be one of --parent and --expect only" })
        )
      : Effect.void
  ),
  Command.withDescription(
    "Replay a bundle with nothing but the bundle, twice, and write the receipt: the same bytes every time, without times and paths. Exits 1 when the replay is not what --expect says, and names the first difference."
  ),
  Command.withShortDescription("replay a bundle and write the receipt"),
  Command.withExamples([
    { command: "cortex bundle replay out > receipt.json" },
    { command: "cortex bundle replay out --parent receipt.json --out next.json" },
    { command: "cortex bundle replay out --expect receipt.json" }
  ])
)
