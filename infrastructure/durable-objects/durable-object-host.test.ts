// The port over an object's storage, beside the same port over a file's driver: one contract for both.
import { describe, expect, it } from "vitest"
import { openBytes } from "../sqlite/better-sqlite3-host.ts"
import type { SqlHost } from "../sqlite/sql-host.ts"
import { durableObjectHost } from "./durable-object-host.ts"
import { standInStorage } from "./testing/stand-in.ts"

const hosts: ReadonlyArray<readonly [string, () => SqlHost]> = [
  ["a file's driver", () => openBytes(Buffer.alloc(0))],
  ["an object's storage", () => durableObjectHost(standInStorage())]
]

const withTables = (host: SqlHost): SqlHost => {
  for (const statement of [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes BLOB) STRICT",
    "CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT) STRICT",
    "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log (name) VALUES (new.name), (new.name); END",
    "CREATE TRIGGER no AFTER DELETE ON t BEGIN SELECT RAISE(ABORT, 'nothing is deleted'); END"
  ]) {
    host.run(statement)
  }
  return host
}

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return ""
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string }
    return `${code}: ${message}`
  }
}

const count = (host: SqlHost): unknown => host.all<{ n: number }>("SELECT count(*) AS n FROM t")[0]?.n

describe.each(hosts)("the SQL port over %s", (_, open) => {
  const host = withTables(open())
  const insert = (name: string, bytes: Uint8Array | null = null) =>
    host.run("INSERT INTO t (name, bytes) VALUES (?, ?)", [name, bytes])

  it("counts the rows of the statement itself, and none of its triggers", () => {
    expect([insert("a"), insert("b"), host.run("UPDATE t SET name = 'c' WHERE id < 0")]).toEqual([1, 1, 0])
    expect(host.run("UPDATE t SET name = name")).toBe(2)
  })

  it("gives rows in the order of their columns, and bytes as bytes", () => {
    insert("bytes", Uint8Array.of(1, 0, 255))
    const [row] = host.all<{ bytes: Uint8Array }>("SELECT name, bytes FROM t WHERE name = ?", ["bytes"])
    expect(Object.keys(row ?? {})).toEqual(["name", "bytes"])
    expect([...(row?.bytes ?? [])]).toEqual([1, 0, 255])
  })

  it("binds whole numbers and texts as the columns take them", () => {
    expect(host.all("SELECT id FROM t WHERE id = ? AND name < ?", [1, Uint8Array.of(0)]).length).toBe(1)
  })

  it("throws SQLite's codes and words", () => {
    expect(codeOf(() => host.run("INSERT INTO t (name) VALUES (NULL)"))).toBe(
      "SQLITE_CONSTRAINT_NOTNULL: NOT NULL constraint failed: t.name"
    )
    expect(codeOf(() => host.run("DELETE FROM t"))).toBe("SQLITE_CONSTRAINT_TRIGGER: nothing is deleted")
    expect(codeOf(() => host.all("SELECT missing FROM t"))).toBe("SQLITE_ERROR: no such column: missing")
  })

  it("takes a unit back as a whole when it throws, also the units inside it", () => {
    const before = count(host)
    const unit = () =>
      host.transaction(() => {
        insert("one")
        host.transaction(() => insert("two"))
        throw new Error("no")
      })
    expect(unit).toThrow("no")
    expect(count(host)).toBe(before)
    expect(host.transaction(() => insert("three"))).toBe(1)
    expect(host.snapshot(() => count(host))).toBe(Number(before) + 1)
  })
})
