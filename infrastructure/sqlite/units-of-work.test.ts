// A unit of work inside another one: it is part of that one, and no savepoint is made for it.
import { describe, expect, it } from "@effect/vitest"
import { openScratch } from "./better-sqlite3-host.ts"

const withTable = () => {
  const connection = openScratch()
  connection.run("CREATE TABLE t (n INTEGER)")
  const insert = (n: number) => connection.run("INSERT INTO t VALUES (?)", [n])
  const stored = () => connection.all<{ n: number }>("SELECT n FROM t").map(({ n }) => n)
  return { connection, insert, stored }
}

describe("a unit of work inside another one", () => {
  it("is committed with it, and gives its result", () => {
    const { connection, insert, stored } = withTable()
    expect(connection.transaction(() => insert(1) + connection.transaction(() => insert(2)))).toBe(2)
    expect(stored()).toEqual([1, 2])
    connection.close()
  })

  it("is rolled back with it", () => {
    const { connection, insert, stored } = withTable()
    const failing = () =>
      connection.transaction(() => {
        connection.transaction(() => insert(1))
        throw new Error("no")
      })
    expect(failing).toThrow("no")
    expect(stored()).toEqual([])
    connection.close()
  })

  it("makes no savepoint, with which every statement would cost what the whole unit has written", () => {
    const { connection, insert } = withTable()
    connection.transaction(() => {
      connection.transaction(() => {
        insert(1)
        expect(() => connection.run('RELEASE "\t_bs3.\t"')).toThrow("no such savepoint")
      })
    })
    connection.close()
  })
})
