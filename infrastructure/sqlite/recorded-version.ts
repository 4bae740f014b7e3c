// The version that a database says it has, by the list of its migrations. It loads nothing, since a process for each cassette of
// others starts with it.
import type { VersionTable } from "./checks/schema-steps.ts"
import type { SqlHost } from "./connection/sql-host.ts"

/** The newest version that a database has recorded, undefined where there is no record. */
export const recordedVersion = (host: SqlHost, { table }: VersionTable): number | undefined => {
  const [found] = host.all("SELECT 1 FROM pragma_table_info(?) WHERE name = 'version'", [table])
  if (found === undefined) return undefined
  const [newest] = host.all<{ version: number | null }>(`SELECT max(version) AS version FROM ${table}`)
  return newest?.version ?? undefined
}
