// Compares a file's whole schema with what the released steps make: every table, index, view and trigger by its
// exact SQL, nothing missing and nothing extra, and the recorded migrations by name and checksum. The expectation
// is what the steps make in an empty database, so there is no second list to maintain.
import type { DatabaseFinding, DatabaseFindingCode } from "../../../domain/foundation/finding.ts"
import { boundedColumns } from "./stored-cells.ts"
import type { SchemaStep, VersionTable } from "./schema-steps.ts"
import { type DatabaseHeader, type SchemaObject, schemaIn, type SqlHost } from "../connection/sql-host.ts"

type SchemaMap = ReadonlyMap<string, SchemaObject>

/** The numbers of the header: what a file is, and which version of it. */
const NUMBERS = ["application_id", "user_version"] as const

/** What a database must look like. */
interface Expectation {
  readonly schema: SchemaMap
  readonly header: DatabaseHeader
}

/** Everything in the schema but the planner's own two tables, by their exact names: nothing else may look like them. */
const mapOf = (objects: ReadonlyArray<SchemaObject>): SchemaMap =>
  new Map(
    objects
      .filter(({ name, type }) => type !== "table" || (name !== "sqlite_stat1" && name !== "sqlite_stat4"))
      .map((object) => [`${object.type} ${object.name}`, object])
  )

const schemaOf = (host: SqlHost): SchemaMap => mapOf(schemaIn(host))

const expectations = new WeakMap<ReadonlyArray<SchemaStep>, Expectation>()

const expectationOf = (host: SqlHost, steps: ReadonlyArray<SchemaStep>): Expectation => {
  const known = expectations.get(steps)
  if (known !== undefined) return known
  const { header, schema } = host.facts.madeBy(steps.flatMap(({ statements }) => statements))
  const expected = { header, schema: mapOf(schema) }
  expectations.set(steps, expected)
  return expected
}

/** Tables that well-known tools keep in a database, as they make them: Litestream, and Durable Objects of workerd. */
const COMPANIONS: ReadonlyMap<string, string> = new Map([
  ["_litestream_seq", "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)"],
  ["_litestream_lock", "CREATE TABLE _litestream_lock (id INTEGER)"],
  ["_cf_KV", "CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"],
  ["_cf_METADATA", "CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY, value BLOB)"]
])

/** The same text however its lines are broken and indented, which differs from one release of such a tool to the next. */
const onOneLine = (sql: string): string =>
  sql
    .replaceAll(/[ \t\r\n]+/g, " ")
    .replaceAll("( ", "(")
    .replaceAll(" )", ")")

/** True for a companion with nothing attached to it: by name, by definition, without an index or a trigger. */
const isCompanion = ({ name, sql, table, type }: SchemaObject, schema: SchemaMap): boolean =>
  type === "table" &&
  table === name &&
  sql !== null &&
  COMPANIONS.get(name) === onOneLine(sql) &&
  [...schema.values()].every(
    (other) => other.name === name || other.table.toLowerCase() !== name.toLowerCase()
  )

/** True for a database in which nothing stands but companions. */
export const hasNoSchema = (host: SqlHost): boolean => {
  const schema = schemaOf(host)
  return [...schema.values()].every((object) => isCompanion(object, schema))
}

/** What people may want to know of the companions in a database: they are no fault. */
export const companionNotes = (host: SqlHost): ReadonlyArray<string> => {
  const schema = schemaOf(host)
  const names = [...schema.values()].filter((object) => isCompanion(object, schema)).map(({ name }) => name)
  return names.length === 0
    ? []
    : [`another tool keeps tables of its own here, which are no fault: ${names.join(", ")}`]
}

const missingCode = (object: SchemaObject): DatabaseFindingCode =>
  object.type === "table" ? "TABLE_MISSING" : object.type === "trigger" ? "TRIGGER_MISSING" : "SCHEMA_MISSING"

const migrationFindings = (
  host: SqlHost,
  table: string,
  steps: ReadonlyArray<SchemaStep>
): ReadonlyArray<DatabaseFinding> => {
  const rows = host.all<{ version: number; name: string; checksum: string }>(
    `SELECT version, ${boundedColumns(["name", "checksum"])} FROM ${table} ORDER BY version`
  )
  const findings: Array<DatabaseFinding> = []
  const add = (where: string, message: string) =>
    findings.push({ code: "MIGRATION_CHANGED", where: `${table} ${where}`, message })
  const found = new Map(rows.map((row) => [row.version, row]))
  for (const step of steps) {
    const row = found.get(step.version)
    found.delete(step.version)
    if (row === undefined) add(`${step.version}`, `version ${step.version} is not recorded`)
    else {
      for (const column of ["name", "checksum"] as const) {
        if (row[column] === step[column]) continue
        add(
          `${step.version} ${column}`,
          `recorded ${String(row[column])}, this program applies ${step[column]}`
        )
      }
    }
  }
  for (const version of found.keys()) add(`${version}`, `this program has no version ${version}`)
  return findings
}

/** All differences between a database's schema and the released steps. */
export const schemaFindings = (
  host: SqlHost,
  { table }: VersionTable,
  steps: ReadonlyArray<SchemaStep>
): ReadonlyArray<DatabaseFinding> => {
  const { header, schema: expected } = expectationOf(host, steps)
  const actual = schemaOf(host)
  const found = host.facts.header()
  const findings: Array<DatabaseFinding> = NUMBERS.filter((name) => found[name] !== header[name]).map(
    (name) => ({
      code: "SCHEMA_CHANGED",
      where: name,
      message: `the header's ${name} is ${found[name]}, this program writes ${header[name]}`
    })
  )
  for (const [key, object] of expected) {
    const found = actual.get(key)
    if (found === undefined) {
      findings.push({ code: missingCode(object), where: key, message: `${key} is missing` })
    } else if (found.sql !== object.sql || found.table !== object.table) {
      findings.push({ code: "SCHEMA_CHANGED", where: key, message: `${key} has another definition` })
    }
  }
  for (const [key, object] of actual) {
    if (!expected.has(key) && !isCompanion(object, actual))
      findings.push({ code: "SCHEMA_EXTRA", where: key, message: `no migration made ${key}` })
  }
  return actual.has(`table ${table}`) ? [...findings, ...migrationFindings(host, table, steps)] : findings
}
