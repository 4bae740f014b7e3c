// The example of Bundle in interfaces/embedding/bundles.ts.
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { Bundle } from "cortex-cassette"

const verifying = Bundle.verify(resolve("out"))
const { report } = await Effect.runPromise(Effect.provide(verifying, Bundle.layer))
if (report.verdict === "PASS") throw new Error("nothing was built yet")
