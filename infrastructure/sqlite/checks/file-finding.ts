// A finding about a database file itself. It loads nothing, since children that read cassettes load it.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"

export const damage = (where: string, message: string): DatabaseFinding => ({
  code: "INTEGRITY",
  where,
  message
})
