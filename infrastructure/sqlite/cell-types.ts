// Cells that hold another type than their column's. A STRICT table takes none, but one turned bit makes a text a blob; what is
// read from such a cell can be neither hashed nor compared, so that a verification looks for them before anything else.
import type { Finding } from "../../domain/ledger/verification.ts"
import { damage } from "./quick-check.ts"
import type { SqlHost } from "./sql-host.ts"

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  /** 1 where NULL is a value of the column. */
  readonly nullable: number
}

const COLUMNS = `SELECT t.name AS "table", c.name, lower(c.type) AS type, c."notnull" = 0 AND c.pk = 0 AS nullable
FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.strict = 1 ORDER BY t.name, c.cid`

/** One finding for each column of a STRICT table with such cells; it reads every row once. */
export const cellTypeFindings = (host: SqlHost): ReadonlyArray<Finding> => {
  const tables = Map.groupBy(host.all<ColumnRow>(COLUMNS), ({ table }) => table)
  return [...tables].flatMap(([table, columns]) => {
    const counted = columns.map(
      ({ name, nullable, type }, index) =>
        `count(*) FILTER (WHERE typeof("${name}") NOT IN ('${type}'${nullable === 1 ? ", 'null'" : ""})) AS "${index}"`
    )
    const [counts] = host.all<Readonly<Record<string, number>>>(
      `SELECT ${counted.join(", ")} FROM "${table}" NOT INDEXED`
    )
    return columns.flatMap(({ name, type }, index) => {
      const cells = counts?.[`${index}`] ?? 0
      return cells === 0 ? [] : [damage(`${table} ${name}`, `${cells} of its cells hold no ${type}`)]
    })
  })
}
