// What the mutability of a cassette lets receipts say, one after another: where the chain begins, what may be removed, and
// that nothing follows a seal. Verification and cartridges judge by the same rules; hashes are judged elsewhere.
import { rulesOf } from "./mutability.ts"
import type { Receipt } from "./receipt-form.ts"

/** What the receipts before have come to. */
export interface ReceiptsBefore {
  /** Operation of the newest one; undefined for the first. */
  readonly newest: string | undefined
  readonly mutability: string
  /** True when the record was added and nothing has removed it. */
  readonly isThere: boolean
}

/** Which rule a receipt breaks, as the end of a sentence, or undefined when it breaks none. */
export const brokenRule = (
  { operation, rule }: Receipt,
  { isThere, mutability, newest }: ReceiptsBefore
): string | undefined => {
  if (newest === undefined && operation !== "migrate") {
    return "the first receipt of a cassette is that of its migration"
  }
  if (newest === "seal") return "it follows the seal"
  if (operation !== "migrate" && rule !== mutability) {
    return `its rule is not ${mutability}, the cassette's mutability`
  }
  switch (operation) {
    case "migrate":
      return undefined
    case "seal":
      return rulesOf(mutability).seals ? undefined : "only an immutable cassette is sealed"
    case "add":
      return isThere ? "it adds a record that is there already" : undefined
    case "remove":
      if (!rulesOf(mutability).removes) return `a cassette that is ${mutability} removes nothing`
      return isThere ? undefined : "it removes a record that is not there"
    default:
      return "its operation is none of migrate, add, remove and seal"
  }
}
