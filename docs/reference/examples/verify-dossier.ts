// The example of verifyDossier in interfaces/dossier/index.ts.
import * as Effect from "effect/Effect"
import { verifyDossier } from "cortex-cassette/dossier"

const report = await Effect.runPromise(verifyDossier("evidence"))
if (report.verdict !== "PASS") throw new Error(JSON.stringify(report.findings))
