// Every law of ledgers, in the order in which they are tried.
import type { Law } from "../law.ts"
import { batchLaw } from "./batch-law.ts"
import { claimOrderLaw } from "./claim-order.ts"
import { keyLaw } from "./key-law.ts"
import { claimedOnceLaw, holderLaw, tokenLaw } from "./lease-laws.ts"
import { logLaw } from "./log-law.ts"
import { modelLaw } from "./model-law.ts"
import { persistenceLaw } from "./persistence-law.ts"
import { receiptLaw } from "./receipt-law.ts"
import { refusalLaw } from "./refusal-law.ts"

export const LAWS: ReadonlyArray<Law> = [
  modelLaw,
  claimOrderLaw,
  claimedOnceLaw,
  holderLaw,
  tokenLaw,
  receiptLaw,
  keyLaw,
  refusalLaw,
  batchLaw,
  logLaw,
  persistenceLaw
]
