// The form of the receipts that every write of a cassette leaves: a chain in which each names the one before.

/** One line of the chain of writes. */
export interface Receipt {
  readonly receipt_index: number
  readonly parent_hash: string
  readonly operation: string
  readonly record_hash: string
  /** The rule that the write followed: the cassette's mutability, or the name of a migration. */
  readonly rule: string
}

/** What stands for a receipt where there is none. */
export const NO_RECEIPT = "0".repeat(64)
