// The ledger on SQLite for properties: on a file that several of them may open, or in memory.
import { DrivenLedger } from "../../interfaces/test-kit/driven-ledger.ts"
import { Ledger } from "../../interfaces/embedding/ledger.ts"

export { START } from "../../interfaces/test-kit/driven-ledger.ts"

export class LedgerSystem extends DrivenLedger {
  constructor(filename = ":memory:") {
    super(() => Ledger.layer({ filename, durability: "normal" }))
  }
}
