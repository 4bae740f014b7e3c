// Whether the schema of an open ledger is still the one that was checked. Another program may change it meanwhile: a newer one that
// carries the ledger over to its version, or one that takes a guard away. SQLite counts the changes of a schema in the file.
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { corruptBy } from "../ledger-failures.ts"
import { inspect, newerThanProgram, stepsOf } from "./ledger-inspection.ts"
import { LEDGER_VERSIONS, schemaSteps } from "./schema-snapshots.ts"

/**
 * What a unit of work asks first, inside its transaction. It throws `StoreNewerThanProgram` for a version that this program does not
 * know, and `StoreCorrupt` for a schema that no version has; otherwise the schema counts as checked. To be made before the
 * opening check, so that no change falls between the two.
 */
export const watchSchema = (host: SqlHost, file: string): (() => void) => {
  const changes = () => host.all<{ schema_version: number }>("PRAGMA schema_version")[0]?.schema_version
  let checked = changes()
  return () => {
    const now = changes()
    if (now === checked) return
    const newer = newerThanProgram(file, inspect(host))
    if (newer !== undefined) throw newer
    const [fault] = schemaFindings(host, LEDGER_VERSIONS, stepsOf(host, schemaSteps()))
    if (fault !== undefined) throw corruptBy(fault)
    checked = now
  }
}
