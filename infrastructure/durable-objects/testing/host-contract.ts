// The contract of the SQL port, for any host: each case works on an empty database and gives what it saw, which must be what stands beside
// it. It knows no test runner, so that it also runs where there is none.
import type { SqlHost } from "../../sqlite/connection/sql-host.ts"

interface HostCase {
  readonly name: string
  readonly see: (host: SqlHost) => unknown
  readonly expected: unknown
}

const TABLES = [
  "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes BLOB) STRICT",
  "CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT) STRICT",
  "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log (name) VALUES (new.name), (new.name); END",
  "CREATE TRIGGER no AFTER DELETE ON t BEGIN SELECT RAISE(ABORT, 'nothing is deleted'); END"
]

const insert = (host: SqlHost, name: string, bytes: Uint8Array | null = null): number =>
  host.run("INSERT INTO t (name, bytes) VALUES (?, ?)", [name, bytes])

const count = (host: SqlHost): number | undefined =>
  host.all<{ n: number }>("SELECT count(*) AS n FROM t")[0]?.n

const refusalOf = (work: () => unknown): string => {
  try {
    work()
    return "none"
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    return code === undefined ? message : `${code}: ${message}`
  }
}

/** The cases of the contract, each for a database of its own. */
export const hostContract: ReadonlyArray<HostCase> = [
  {
    name: "counts the rows of the statement itself, and none of its triggers",
    see: (host) => [
      insert(host, "a"),
      insert(host, "b"),
      host.run("UPDATE t SET name = 'c' WHERE id < 0"),
      host.run("UPDATE t SET name = name")
    ],
    expected: [1, 1, 0, 2]
  },
  {
    name: "runs a script in order, also statements that have semicolons of their own, and ends at the first that is refused",
    see: (host) => {
      const trigger =
        "CREATE TRIGGER twice AFTER INSERT ON u BEGIN UPDATE u SET n = n * 2; UPDATE u SET n = n + 1; END"
      host.script(["CREATE TABLE u (n INTEGER)", trigger, "INSERT INTO u VALUES (5)"])
      const refusal = refusalOf(() =>
        host.script(["DELETE FROM u", "INSERT INTO none VALUES (1)", "DROP TABLE u"])
      )
      return [refusal, host.all("SELECT n FROM u"), host.run("INSERT INTO u VALUES (1)")]
    },
    expected: ["SQLITE_ERROR: no such table: none", [], 1]
  },
  {
    name: "gives rows in the order of their columns, and bytes as bytes",
    see: (host) => {
      insert(host, "bytes", Uint8Array.of(1, 0, 255))
      const [row] = host.all<{ bytes: unknown }>("SELECT name, bytes FROM t")
      const { bytes } = row ?? {}
      return [Object.keys(row ?? {}), bytes instanceof Uint8Array ? [...bytes] : "no bytes"]
    },
    expected: [
      ["name", "bytes"],
      [1, 0, 255]
    ]
  },
  {
    name: "binds whole numbers, texts and bytes as the columns take them",
    see: (host) => {
      insert(host, "a")
      return host.all("SELECT id FROM t WHERE id = ? AND name < ?", [1, Uint8Array.of(0)])
    },
    expected: [{ id: 1 }]
  },
  {
    name: "throws SQLite's codes and words",
    see: (host) => {
      insert(host, "a")
      return [
        refusalOf(() => host.run("INSERT INTO t (name) VALUES (NULL)")),
        refusalOf(() => host.run("DELETE FROM t")),
        refusalOf(() => host.all("SELECT missing FROM t"))
      ]
    },
    expected: [
      "SQLITE_CONSTRAINT_NOTNULL: NOT NULL constraint failed: t.name",
      "SQLITE_CONSTRAINT_TRIGGER: nothing is deleted",
      "SQLITE_ERROR: no such column: missing"
    ]
  },
  {
    name: "takes a unit back as a whole when it throws, also the units inside it",
    see: (host) => {
      const unit = () =>
        host.transaction(() => {
          insert(host, "one")
          host.transaction(() => insert(host, "two"))
          throw new Error("no")
        })
      return [refusalOf(unit), count(host), host.transaction(() => insert(host, "three")), count(host)]
    },
    expected: ["no", 0, 1, 1]
  },
  {
    name: "takes a unit back whose units inside have thrown, when that was not caught",
    see: (host) => [
      refusalOf(() => host.transaction(() => host.transaction(() => host.run("DELETE FROM missing")))),
      host.transaction(() => insert(host, "next")),
      host.snapshot(() => count(host))
    ],
    expected: ["SQLITE_ERROR: no such table: missing", 1, 1]
  }
]

/** What a case sees in a host's empty database. */
export const seenIn = (host: SqlHost, name: string): unknown => {
  for (const statement of TABLES) host.run(statement)
  return hostContract.find((each) => each.name === name)?.see(host)
}
