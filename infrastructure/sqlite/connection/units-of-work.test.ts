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

describe("a unit of work that cannot be committed", () => {
  it("is rolled back where SQLite refuses the commit, and holds back none that follows", () => {
    const { connection, insert, stored } = withTable()
    connection.pragma("foreign_keys = ON")
    connection.run("CREATE TABLE p (n INTEGER PRIMARY KEY)")
    connection.run("CREATE TABLE c (n INTEGER REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
    const refused = () =>
      connection.transaction(() => {
        insert(1)
        connection.run("INSERT INTO c VALUES (7)")
      })
    expect(refused).toThrow("FOREIGN KEY constraint failed")
    expect(stored()).toEqual([])
    connection.transaction(() => insert(2))
    expect(refused).toThrow("FOREIGN KEY constraint failed")
    expect(stored()).toEqual([2])
    connection.close()
  })

  it("tells its own error where a statement has ended it, and that it was not committed where there is none", () => {
    const { connection, insert, stored } = withTable()
    const ended = (then: () => void) => () =>
      connection.transaction(() => {
        insert(1)
        connection.run("ROLLBACK")
        then()
      })
    expect(
      ended(() => {
        throw new Error("of the work")
      })
    ).toThrow("of the work")
    expect(ended(() => {})).toThrow("no transaction is active")
    expect(stored()).toEqual([])
    connection.close()
  })
})
