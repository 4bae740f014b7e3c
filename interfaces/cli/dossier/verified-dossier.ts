// What the commands of dossiers share: the argument that names one, the endings of one that does not verify, and what people read of
// a report. No database is loaded here or by what is imported here.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import type { DossierReport } from "../../../domain/dossiers/finding.ts"
import { findingCount, InvalidDossier, VerificationFailed } from "../../shared/failures.ts"
import { fieldLines } from "../../shared/terminal-text.ts"

/** The argument that names a dossier. */
export const dossierArgument = Argument.String("path").pipe(
  Argument.withDescription("the dossier's folder, the dossier.json in it, or a packed dossier")
)

/** A report of PASS, or the failure that its verdict is. */
export const verdictOfDossier = (
  report: DossierReport
): Effect.Effect<DossierReport, VerificationFailed | InvalidDossier> => {
  if (report.verdict === "PASS") return Effect.succeed(report)
  const negative = {
    message: `${findingCount(report)} issue(s) found: each has a code, a place and a message`,
    report,
    listed: report.findings
  }
  return Effect.fail(
    report.verdict === "INVALID" ? new InvalidDossier(negative) : new VerificationFailed(negative)
  )
}

const completeText = ({ complete, newer_events, size }: DossierReport): string => {
  if (complete === null) return "not judged: without the ledger (--db), absence cannot be judged"
  if (!complete) return "no"
  if (newer_events === 0) return "yes, the ledger has no other event of it"
  return `yes, up to event ${size}, where the checkpoint ends; the ledger has ${newer_events} newer event(s) of it`
}

const signerText = ({ signers }: DossierReport): string =>
  signers.length > 0 ? signers.join(", ") : "not judged: without a trust file (--trust) no signature counts"

const chosenText = ({ choice }: DossierReport): ReadonlyArray<readonly [string, string]> => [
  ...(choice === null || choice.run_id === null ? [] : [["run", choice.run_id] as const]),
  ...(choice?.jobs ?? []).map((job) => ["job", job] as const),
  ...(choice?.tasks ?? []).map((task) => ["task", task] as const)
]

/** What people read of a dossier. */
export const dossierLines = (report: DossierReport): ReadonlyArray<string> =>
  fieldLines([
    ["dossier", report.root_hash ?? ""],
    ["ledger", report.ledger_id ?? ""],
    ...chosenText(report),
    ["bodies", report.bodies ?? ""],
    ["checkpoint", `${report.size ?? 0}  ${report.root ?? ""}`],
    ["signer", signerText(report)],
    ["complete", completeText(report)],
    ...Object.entries(report.counts).map(([name, count]) => [name, String(count)] as const)
  ])
