// The example of verifyBundle in interfaces/bundle/index.ts.
import * as Effect from "effect/Effect"
import { verifyBundle } from "cortex-cassette/bundle"

// A folder that is no bundle gets a negative verdict, with what is wrong.
const { findings, verdict } = await Effect.runPromise(verifyBundle("."))
if (verdict === "PASS" || findings.length === 0) throw new Error("an empty folder is no bundle")
