// Whether the schema of an open ledger is still the one that was checked. Another program may change it meanwhile: a newer one that
// carries the ledger over to its version, or one that takes a guard away. SQLite counts the changes of a schema in the file.
import { StoreNewerThanProgram } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import { schemaFindings } from "../../sqlite/checks/schema-check.ts"
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"
import { inspect, stepsOf } from "./ledger-inspection.ts"
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
    const found = inspect(host)
    if (found.kind === "ledger" && found.version !== undefined && found.version > DATABASE_VERSION) {
      throw new StoreNewerThanProgram({ file, version: found.version, supported: DATABASE_VERSION })
    }
    const [fault] = schemaFindings(host, LEDGER_VERSIONS, stepsOf(host, schemaSteps()))
    if (fault !== undefined) {
      throw new StoreCorrupt({ code: fault.code, where: fault.where, finding: fault.message })
    }
    checked = now
  }
}
