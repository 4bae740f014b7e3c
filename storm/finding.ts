// What an audit of a storm can find, and what it counted. A finding is a fault of the ledger, never of a process that
// was killed: one of them fails the storm.

/** What is wrong, by a stable name. */
type FindingCode =
  | "ACKNOWLEDGED_BUT_LOST"
  | "ACKNOWLEDGED_TWICE"
  | "KEY_USED_TWICE"
  | "LADDER"
  | "LEASE_KEPT"
  | "LEASE_WITHOUT_TIME"
  | "NOT_ONE_RECEIPT"
  | "POSITION_GAP"
  | "PROCESS_FAILED"
  | "RECEIPT_WITHOUT_COMPLETION"
  | "REFUSED_BUT_DONE"
  | "STALE_TOKEN_ACCEPTED"
  | "STEP_LEASED_TWICE"
  | "TOKEN_SKIPPED"
  | "TOKEN_TWICE"
  | "TORN_COMMIT"

export interface Finding {
  readonly code: FindingCode
  /** The event, row or process that it is about. */
  readonly where: string
  readonly message: string
}
