// Bundles for hosts whose files are this machine's: the ports of all that `Bundle` does, but for the ledger and the
// expansion cache that building reads, which come from `Ledger.layer` and `Corpus.layer`.
import { Bundle as operations } from "../../application/bundles/bundle.ts"
import { bundleFilesLayer } from "./bundle-files.ts"

/**
 * What can be done with bundles, and the layer for bundles in folders of this machine.
 *
 * @example
 * import { resolve } from "node:path"
 * import * as Effect from "effect/Effect"
 * import { Bundle } from "cortex-cassette"
 *
 * const verifying = Bundle.verify(resolve("out"))
 * const { report } = await Effect.runPromise(Effect.provide(verifying, Bundle.layer))
 * if (report.verdict === "PASS") throw new Error("nothing was built yet")
 */
export const Bundle = { ...operations, layer: bundleFilesLayer } as const
