// The example of ledgerLaws in interfaces/test-kit/optional-laws.ts.
import { Ledger, SqliteLedger } from "cortex-cassette"
import { ledgerLaws } from "cortex-cassette/testing"

ledgerLaws("my store", () => Ledger.layerFrom(SqliteLedger.layer({ filename: ":memory:" })), { runs: 20 })
