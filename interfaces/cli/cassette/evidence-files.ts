// What evidence commands read from files and flags: signed checkpoints and proofs as text, trust files, and points of the
// history. Signed text is taken byte by byte as it stands; standard input can be one of the files and no more.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CliError from "effect/cli/CliError"
import { MAX_TRUST_FILE_BYTES } from "../../../domain/evidence/trust.ts"
import type { TrustedPoint } from "../../../domain/ledger/verification.ts"
import { readBytes } from "../json-file.ts"
import { absolutePath, refusedFlag } from "../../shared/options.ts"
import { readText } from "../text-file.ts"

/** Most bytes that are read of a checkpoint or a proof; how long they may be is for their own readers to say. */
const MAX_EVIDENCE_BYTES = 2_097_152

const STANDARD_INPUT = "-"

const bounded = (limit: number) => ({ limit, tooLarge: `the file is over ${limit} bytes` })

/** The text of a checkpoint or a proof in a file (`-` is standard input) that `flag` names. */
export const readEvidence = (flag: string, file: string) => readText(flag, file, bounded(MAX_EVIDENCE_BYTES))

/** The trust file that `--trust` names (`-` is standard input). */
export const readTrust = Effect.fnUntraced(function* (file: string) {
  const { loadTrustFile, parseTrustFile } = yield* Effect.promise(() => import("../../embedding/evidence.ts"))
  if (file !== STANDARD_INPUT) return yield* loadTrustFile(yield* absolutePath("--trust", file))
  const { bytes, path } = yield* readBytes("--trust", file, bounded(MAX_TRUST_FILE_BYTES))
  return yield* Effect.fromResult(parseTrustFile(path, bytes))
})

const POINT = /^(0|[1-9][0-9]*):([0-9a-f]{64})$/

/** A point of the history as `POSITION:HASH`; absent stays absent. */
export const readPoint = (flag: string, text: Option.Option<string>) =>
  Effect.suspend(() => {
    if (Option.isNone(text)) return Effect.succeed(undefined)
    const [, digits = "", hash = ""] = POINT.exec(text.value) ?? []
    const position = Number(digits)
    return hash !== "" && Number.isSafeInteger(position)
      ? Effect.succeed<TrustedPoint>({ position, hash })
      : Effect.fail(
          refusedFlag(flag, "a position and a hash as verify prints them, POSITION:HASH (64 hex digits)")
        )
  })

/** Refuses a command line on which two files are standard input. */
export const oneStandardInput = (...files: ReadonlyArray<Option.Option<string>>) =>
  files.filter((file) => Option.isSome(file) && file.value === STANDARD_INPUT).length > 1
    ? Effect.fail(new CliError.ValidationError({ message: "Only one file can be standard input (-)" }))
    : Effect.void
