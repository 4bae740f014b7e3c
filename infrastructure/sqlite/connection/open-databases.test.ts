// Reading files of all kinds leaves the locks on the databases among them as they are: the reads of the corpus, of the
// sources of a cassette, and the private copy of a database.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readText } from "../../corpus/files/file-reading.ts"
import { readDocument } from "../../network/writing/sources.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { configureForWriting, openForWriting } from "./better-sqlite3-host.ts"
import { copyOfOneMoment } from "../files/private-copy.ts"

/** What comes of statements in another process: `done`, or the code of the failure. */
const elsewhere = (file: string, sql: string): string =>
  spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import Database from "better-sqlite3"
const [file, sql] = process.argv.slice(1)
const database = new Database(file, { timeout: 0 })
try {
  database.exec(sql)
  process.stdout.write("done")
} catch (error) {
  process.stdout.write(error.code)
}
database.close()`,
      file,
      sql
    ],
    { encoding: "utf8", cwd: import.meta.dirname }
  ).stdout

const names = ["a.db", "a.db-wal", "a.db-shm"]

const reads: ReadonlyArray<readonly [string, (folder: string) => void]> = [
  [
    "text of the corpus",
    (folder) => {
      for (const name of names)
        expect(readText(folder, name)).toMatchObject({ failure: { reason: "BINARY" } })
    }
  ],
  [
    "source of a cassette",
    (folder) => {
      for (const name of names) expect(readDocument(folder, name, "document")).toBe("BINARY")
    }
  ]
]

describe("a database that this process has open keeps its locks beside", () => {
  it.each(reads)("a %s", (_, read) => {
    const folder = realpathSync(temporaryFolder())
    const connection = openForWriting(join(folder, "a.db"))
    configureForWriting(connection, "normal")
    connection.run("CREATE TABLE t (a INTEGER) STRICT")
    read(folder)
    // The last user of a database takes its log away.
    expect(elsewhere(join(folder, "a.db"), "SELECT * FROM t")).toBe("done")
    expect(existsSync(join(folder, "a.db-wal"))).toBe(true)
    connection.run("INSERT INTO t VALUES (1)")
    connection.close()
    expect(existsSync(join(folder, "a.db-wal"))).toBe(false)
    expect(readText(folder, "a.db")).toMatchObject({ failure: { reason: "BINARY" } })
  })

  it("a copy of one moment", () => {
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    const connection = openForWriting(file)
    connection.run("CREATE TABLE t (a INTEGER) STRICT")
    connection.run("BEGIN EXCLUSIVE")
    mkdirSync(join(folder, "copy"))
    const copy = copyOfOneMoment(join(folder, "copy"), file)
    expect(elsewhere(file, "INSERT INTO t VALUES (1)")).toBe("SQLITE_BUSY")
    connection.run("COMMIT")
    connection.close()
    expect(elsewhere(file, "INSERT INTO t VALUES (1)")).toBe("done")
    expect(elsewhere(copy ?? "", "INSERT INTO t VALUES (1)")).toBe("done")
  })
})
