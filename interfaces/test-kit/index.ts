// The entry point for tests of programs that keep a ledger: a ledger in memory, the laws that any ledger must
// keep, examples of deciders.
export { givenEvents, givenState } from "../../domain/foundation/given-when-then.ts"
export type { Decider, EventDecider } from "../../domain/foundation/decider.ts"
export { memoryLedgerLayer, memoryLedgerPorts } from "./memory-ledger.ts"
export type { LedgerLawsOptions } from "./ledger-laws.ts"
export { ledgerLaws } from "./optional-laws.ts"
export type { MakeLayer } from "./ledger-life.ts"
