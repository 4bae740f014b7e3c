// The laws need `vitest` and `fast-check`, and nothing else here does: where they are not installed, the rest of the entry point
// works, and asking for the laws says what is missing.
import type { ledgerLaws as Laws } from "./ledger-laws.ts"

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND"

const loaded: { readonly ledgerLaws: typeof Laws } = await import("./ledger-laws.ts").catch(
  (cause: unknown) => {
    if (!isMissing(cause)) throw cause
    return {
      ledgerLaws: () => {
        throw new Error("ledgerLaws needs vitest and fast-check: install both", { cause })
      }
    }
  }
)

/**
 * Registers a test for each law of a ledger: see `LedgerLawsOptions`. Without `vitest` and `fast-check` it throws
 * and says so.
 *
 * @example
 * import { Ledger, SqliteLedger } from "cortex-cassette"
 * import { ledgerLaws } from "cortex-cassette/testing"
 *
 * ledgerLaws("my store", () => Ledger.layerFrom(SqliteLedger.layer({ filename: ":memory:" })), { runs: 20 })
 */
export const ledgerLaws: typeof Laws = loaded.ledgerLaws
