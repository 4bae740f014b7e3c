// The program of a child process that verifies a ledger for the page: it reads what is asked as one argument of JSON, and writes lines
// of JSON: what it does, then the report or an error. A process of its own leaves the page's server free, and ends when it is killed.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import { Inspection } from "../../application/inspection/inspection.ts"
import { Progress } from "../../application/foundation/progress.ts"
import { inspectedLedger } from "../embedding/inspected-ledger.ts"
import { errorDocument } from "../shared/envelope.ts"
import type { VerificationRequest } from "./verification.ts"

/** Progress is told this often at most (milliseconds). */
const TOLD_EVERY = 100

let told = 0

const line = (value: object): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

const tell = (doing: string): void => {
  const now = performance.now()
  if (now - told < TOLD_EVERY) return
  told = now
  line({ doing })
}

// No reader is left: the page was closed, or its server has ended.
process.stdout.on("error", () => process.exit(0))

const request = Result.getOrThrow(parseStoredJson(process.argv[2] ?? "")) as unknown as VerificationRequest

const verification = Inspection.use(({ verify }) => verify).pipe(
  Effect.provide(inspectedLedger(request.file, request)),
  Effect.map((report) => line({ report })),
  Effect.catch((error) => Effect.sync(() => line({ error: errorDocument(error) }))),
  Effect.provideService(Progress, tell)
)

await Effect.runPromise(verification)
