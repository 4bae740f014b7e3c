// Cells that hold another type than their column's. A STRICT table takes none, but one turned bit makes a text a blob; what is
// read from such a cell can be neither hashed nor compared. SQLite's own check finds them and tells the column alone: here each
// is told by its row.
import type { DatabaseFinding } from "../../../domain/foundation/finding.ts"
import { damage } from "./file-finding.ts"
import type { SqlHost } from "../connection/sql-host.ts"
import { boundedValue, rowName } from "./stored-cells.ts"

/** The columns of a STRICT table. */
export interface TypedTable {
  readonly table: string
  readonly columns: ReadonlyArray<TypedColumn>
}

interface TypedColumn {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly pk: number
  /** 1 where NULL is a value of the column. */
  readonly nullable: number
}

const COLUMNS = `SELECT t.name AS "table", c.name, lower(c.type) AS type, c.pk, c."notnull" = 0 AND c.pk = 0 AS nullable
FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.strict = 1 ORDER BY t.name, c.cid`

/** Every STRICT table. */
export const typedTables = (host: SqlHost): ReadonlyArray<TypedTable> =>
  [...Map.groupBy(host.all<TypedColumn>(COLUMNS), ({ table }) => table)].map(([table, columns]) => ({
    table,
    columns
  }))

/** Most cells of one column that are told. */
const MOST_CELLS = 100

/** The cells of a table whose type is not their column's; the names of such columns are put into `told`, as `table.column`. */
export const misplacedTypes = (
  host: SqlHost,
  { columns, table }: TypedTable,
  told: Set<string>
): ReadonlyArray<DatabaseFinding> => {
  const key = columns.find(({ pk }) => pk === 1)?.name ?? "rowid"
  return columns.flatMap(({ name, nullable, type }) => {
    const cells = host.all<{ id: unknown; found: string }>(
      `SELECT ${boundedValue(key)} AS id, typeof("${name}") AS found FROM "${table}" NOT INDEXED WHERE typeof("${name}") NOT IN (?, ?) LIMIT ${MOST_CELLS}`,
      [type, nullable === 1 ? "null" : type]
    )
    if (cells.length > 0) told.add(`${table}.${name}`)
    return cells.map(({ found, id }) =>
      damage(`${rowName(table, id)} ${name}`, `the value is of type ${found}, the column holds ${type}`)
    )
  })
}

/** How SQLite's check tells such a column. */
const TOLD_BY_SQLITE = /^(?:non-[A-Z]+|NULL) value in (.+)$/

/** True for a line of SQLite's check about a column whose cells are told by their rows. */
export const isToldByRow = ({ message }: DatabaseFinding, told: ReadonlySet<string>): boolean =>
  told.has(TOLD_BY_SQLITE.exec(message)?.[1] ?? "")
