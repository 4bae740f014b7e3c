// A file of tests that fails: the laws for a store that forgets idempotency keys. The test of the line that repeats a failure runs it.
import { ledgerLaws } from "../ledger-laws.ts"
import { wrongStores } from "./wrong-stores.ts"

ledgerLaws("a store (of $5) that isn't right", wrongStores["forgets idempotency keys"], {
  runs: 5,
  command: 'node_modules/.bin/vitest run --config "interfaces/test-kit/testing/fixture.config.mjs"'
})
