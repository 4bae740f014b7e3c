// Values reach the holes of a statement by their names, wherever a name stands and however often.
import { expect, it } from "vitest"
import { openScratch } from "./better-sqlite3-host.ts"
import { command, query } from "./statement.ts"

it("fills each hole by its name, and gives rows and how many were written", () => {
  const host = openScratch()
  host.run("CREATE TABLE t (a INTEGER, b TEXT, c TEXT)")
  const insert = command("INSERT INTO t (a, b, c) VALUES (:number, :text, :text)")
  expect(insert.sql).toBe("INSERT INTO t (a, b, c) VALUES (?, ?, ?)")
  expect(insert.run(host, { text: "x", number: 1 })).toBe(1)
  const select = query<{ a: number; c: string }>()(
    "SELECT a, c || ':' AS c FROM t\nWHERE b = :text\nAND a IN (:number)"
  )
  expect(select.all(host, { number: 1, text: "x" })).toEqual([{ a: 1, c: "x:" }])
  expect(select.first(host, { number: 2, text: "x" })).toBeUndefined()
  // @ts-expect-error A name that is missing does not compile.
  expect(() => select.all(host, { number: 1 })).not.toThrow()
  // @ts-expect-error Nor does one that is no hole.
  expect(select.all(host, { number: 1, text: "x", more: 2 })).toHaveLength(1)
  host.close()
})
