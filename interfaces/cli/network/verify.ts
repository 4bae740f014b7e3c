// `cortex network verify`: judges cassettes from their files alone; a negative verdict names every finding.
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { Findings } from "../../../domain/foundation/findings.ts"
import type { CassetteFinding, CassetteReport } from "../../../domain/network/verification.ts"
import { VerificationFailed } from "../../shared/failures.ts"
import { withProgress } from "../progress.ts"
import { answer, writeWarnings } from "../output.ts"
import { type Line, table } from "../../shared/terminal-text.ts"
import { writePass } from "../verdict.ts"
import { cassettesArgument } from "./network-flags.ts"
import { withKeeping } from "./open-network.ts"

const reportLines = (report: CassetteReport): ReadonlyArray<Line> =>
  table(
    ["cassette", "documents", "memories", "chunks", "receipts", "hash", "receipt head"],
    report.cassettes.map(({ cassette_id, chunks, db_hash, documents, memories, receipt_head, receipts }) => [
      cassette_id,
      `${documents}`,
      `${memories}`,
      `${chunks}`,
      `${receipts}`,
      db_hash,
      receipt_head
    ])
  )

export const verifyCommand = Command.make(
  "verify",
  { cassettes: cassettesArgument },
  Effect.fnUntraced(function* ({ cassettes: ids }) {
    const verified = yield* withKeeping((keeping) => keeping.verify(ids)).pipe(withProgress("verifying"))
    const list = new Findings<CassetteFinding["code"]>()
    for (const { findings } of verified) list.addAll(findings)
    const report: CassetteReport = {
      ...list.report,
      warnings: verified.flatMap(({ warnings }) => warnings),
      cassettes: verified.flatMap(({ facts }) => facts ?? [])
    }
    yield* writeWarnings(report.warnings)
    if (report.verdict === "FAIL") {
      return yield* new VerificationFailed({
        message: `${list.total} issue(s) found: each has a code, a place and a message`,
        report,
        listed: report.findings
      })
    }
    yield* writePass
    yield* answer({ data: report, lines: () => reportLines(report) })
  })
).pipe(
  Command.withDescription(
    "Check cassettes from their files alone: SQLite's integrity, the schema, every document against its hashes, the chain of receipts, and every index against the documents. What only an index has wrong, network reindex makes again."
  ),
  Command.withShortDescription("check hashes, receipts and indexes"),
  Command.withExamples([
    { command: "cortex network verify" },
    { command: "cortex network verify governance" }
  ])
)
