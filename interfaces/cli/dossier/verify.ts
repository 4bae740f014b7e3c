// `cortex dossier verify`: a dossier checked from its own bytes and a trust file, on any machine. Only with --db a database is loaded:
// then each event is held against the ledger's, and what was left out is found.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "effect/cli/Command"
import { reported } from "../../../application/foundation/progress.ts"
import { verifyDossier, verifyDossierWith } from "../../../application/dossiers/verify-dossier.ts"
import { dossierFilesLayer } from "../../embedding/dossier-files.ts"
import { absolutePath } from "../../shared/options.ts"
import { trustFlag } from "../../shared/flags.ts"
import { readTrust } from "../cassette/evidence-files.ts"
import { Db, ledgerFlags } from "../cassette/ledger-flags.ts"
import { withLedger } from "../cassette/open-ledger.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"
import { writePass } from "../verdict.ts"
import { dossierArgument, dossierLines, verdictOfDossier } from "./verified-dossier.ts"

export const verifyCommand = Command.make(
  "verify",
  { path: dossierArgument, trust: trustFlag },
  Effect.fnUntraced(function* ({ path: given, trust: file }) {
    const path = yield* absolutePath("path", given)
    const trust = yield* readTrust(file)
    const verified = Option.isSome(yield* Db)
      ? withLedger("read", (ledger) => verifyDossierWith(ledger, path, { trust }))
      : verifyDossier(path, { trust })
    const { report } = yield* reported(path, verified).pipe(
      Effect.provide(dossierFilesLayer),
      withProgress("verifying")
    )
    yield* verdictOfDossier(report)
    yield* writePass
    yield* answer({ data: report, lines: () => dossierLines(report) })
  })
).pipe(
  Command.withDescription(
    "Verify a dossier offline: every byte, every event's hash, every proof against the signed checkpoint, the fold of its events, its thoughts and bundles. With --db each event is compared with the ledger's, and one that was left out is found. Exits 0 on PASS, 1 on FAIL and 2 when it is no dossier."
  ),
  Command.withShortDescription("verify a dossier offline"),
  Command.withExamples([
    { command: "cortex dossier verify out --trust trust.json" },
    { command: "cortex dossier verify out.tar --trust trust.json --format json" },
    {
      command: "cortex dossier verify out --trust trust.json --db work.db",
      description: "and nothing was left out"
    }
  ]),
  Command.withGlobalFlags(ledgerFlags)
)
