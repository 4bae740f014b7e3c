/**
 * SQLite's result codes as tagged errors: real ones where they can be provoked, the rest by their names. No code may
 * be without an answer, and nothing but SQLite's errors may be caught here.
 */
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { sqliteFailure } from "./sqlite-errors.ts"

/** What SQLite throws when `work` runs. */
const thrown = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error("SQLite threw nothing")
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown }).code)

const failure = (code: string) =>
  sqliteFailure("a.db", Object.assign(new Error("what SQLite says"), { code }))

const withFile = (sql: string): string => {
  const filename = join(temporaryFolder(), "a.db")
  const database = new Database(filename)
  database.exec(sql)
  database.close()
  return filename
}

const table = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL CHECK (b <> 'no')) STRICT"

describe("errors that SQLite really throws", () => {
  const cases: ReadonlyArray<{
    readonly code: string
    readonly tag: string
    readonly provoke: () => unknown
  }> = [
    {
      code: "SQLITE_BUSY",
      tag: "Busy",
      provoke: () => {
        const filename = withFile(table)
        const holder = new Database(filename)
        holder.exec("BEGIN IMMEDIATE")
        try {
          return thrown(() => new Database(filename, { timeout: 0 }).exec("BEGIN IMMEDIATE"))
        } finally {
          holder.close()
        }
      }
    },
    {
      code: "SQLITE_BUSY_SNAPSHOT",
      tag: "Busy",
      provoke: () => {
        const filename = withFile(`PRAGMA journal_mode = WAL; ${table}`)
        const late = new Database(filename, { timeout: 0 })
        late.exec("BEGIN; SELECT * FROM t")
        const other = new Database(filename)
        other.exec("INSERT INTO t VALUES (1, 'x')")
        other.close()
        try {
          return thrown(() => late.exec("INSERT INTO t VALUES (2, 'y')"))
        } finally {
          late.close()
        }
      }
    },
    {
      code: "SQLITE_LOCKED",
      tag: "Busy",
      provoke: () => {
        const database = new Database(":memory:")
        database.exec(`${table}; INSERT INTO t VALUES (1, 'x'), (2, 'y')`)
        database.unsafeMode(true)
        const rows = database.prepare("SELECT * FROM t").iterate()
        rows.next()
        try {
          return thrown(() => database.exec("DROP TABLE t"))
        } finally {
          rows.return?.()
        }
      }
    },
    ...(
      [
        ["SQLITE_CONSTRAINT_PRIMARYKEY", "INSERT INTO t VALUES (1, 'x'), (1, 'y')"],
        ["SQLITE_CONSTRAINT_NOTNULL", "INSERT INTO t VALUES (1, NULL)"],
        ["SQLITE_CONSTRAINT_CHECK", "INSERT INTO t VALUES (1, 'no')"],
        ["SQLITE_CONSTRAINT_DATATYPE", "INSERT INTO t VALUES (1, x'00')"],
        [
          "SQLITE_CONSTRAINT_TRIGGER",
          "CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'refused'); END; INSERT INTO t VALUES (1, 'x')"
        ]
      ] as const
    ).map(([code, sql]) => ({
      code,
      tag: "InvariantViolation",
      provoke: () => thrown(() => new Database(":memory:").exec(`${table}; ${sql}`))
    })),
    {
      code: "SQLITE_FULL",
      tag: "StorageFull",
      provoke: () => {
        const database = new Database(":memory:")
        database.exec(table)
        database.pragma("max_page_count = 2")
        return thrown(() => database.exec(`INSERT INTO t VALUES (1, '${"x".repeat(20_000)}')`))
      }
    },
    {
      code: "SQLITE_NOTADB",
      tag: "DatabaseDamaged",
      provoke: () => {
        const filename = join(temporaryFolder(), "a.db")
        writeFileSync(filename, "a text that is long enough to have a header of its own. ".repeat(20))
        return thrown(() => new Database(filename).exec("SELECT * FROM sqlite_schema"))
      }
    },
    {
      code: "SQLITE_CORRUPT",
      tag: "DatabaseDamaged",
      provoke: () => {
        const filename = withFile(`${table}; INSERT INTO t VALUES (1, 'x')`)
        const descriptor = openSync(filename, "r+")
        writeSync(descriptor, Buffer.alloc(4_096, 0xff), 0, 4_096, 4_096)
        closeSync(descriptor)
        return thrown(() => new Database(filename).exec("SELECT * FROM t"))
      }
    },
    {
      code: "SQLITE_READONLY",
      tag: "ReadOnlyStore",
      provoke: () =>
        thrown(() => new Database(withFile(table), { readonly: true }).exec("INSERT INTO t VALUES (1, 'x')"))
    },
    {
      code: "SQLITE_CANTOPEN",
      tag: "StorageFailure",
      provoke: () => thrown(() => new Database(temporaryFolder()))
    },
    {
      code: "SQLITE_ERROR",
      tag: "StorageFailure",
      provoke: () => thrown(() => new Database(":memory:").exec("SELECT"))
    },
    {
      code: "SQLITE_ERROR",
      tag: "DatabaseDamaged",
      provoke: () => thrown(() => new Database(":memory:").exec("SELECT * FROM absent"))
    },
    {
      code: "SQLITE_ERROR",
      tag: "DatabaseDamaged",
      provoke: () => thrown(() => new Database(withFile(table)).exec("SELECT absent FROM t"))
    },
    {
      code: "SQLITE_TOOBIG",
      tag: "DatabaseDamaged",
      provoke: () => thrown(() => new Database(":memory:").exec("SELECT zeroblob(2000000000)"))
    }
  ]

  for (const { code, provoke, tag } of cases) {
    it(`${code} is ${tag}`, () => {
      const error = provoke()
      assert.strictEqual(codeOf(error), code)
      const mapped = sqliteFailure("a.db", error)
      assert.strictEqual(mapped._tag, tag)
      if (mapped._tag === "InvariantViolation") assert.strictEqual(mapped.message, (error as Error).message)
      if (mapped._tag === "StorageFailure") assert.strictEqual(mapped.code, code)
    })
  }
})

describe("every other code", () => {
  const families: Readonly<Record<string, ReadonlyArray<string>>> = {
    Busy: ["BUSY_RECOVERY", "BUSY_TIMEOUT", "LOCKED_SHAREDCACHE", "LOCKED_VTAB"],
    InvariantViolation: [
      "CONSTRAINT",
      "CONSTRAINT_COMMITHOOK",
      "CONSTRAINT_FOREIGNKEY",
      "CONSTRAINT_FUNCTION",
      "CONSTRAINT_PINNED",
      "CONSTRAINT_ROWID",
      "CONSTRAINT_UNIQUE",
      "CONSTRAINT_VTAB"
    ],
    StorageFull: ["IOERR_SHMSIZE"],
    DatabaseDamaged: [
      "IOERR_SHORT_READ",
      "IOERR_CORRUPTFS",
      "CORRUPT_INDEX",
      "CORRUPT_SEQUENCE",
      "CORRUPT_VTAB"
    ],
    ReadOnlyStore: [
      "READONLY_CANTINIT",
      "READONLY_CANTLOCK",
      "READONLY_DBMOVED",
      "READONLY_DIRECTORY",
      "READONLY_RECOVERY",
      "READONLY_ROLLBACK",
      "PERM",
      "AUTH"
    ],
    StorageFailure: [
      "ABORT",
      "ABORT_ROLLBACK",
      "CANTOPEN_DIRTYWAL",
      "CANTOPEN_FULLPATH",
      "CANTOPEN_ISDIR",
      "CANTOPEN_NOTEMPDIR",
      "CANTOPEN_SYMLINK",
      "ERROR_MISSING_COLLSEQ",
      "ERROR_SNAPSHOT",
      "FORMAT",
      "INTERNAL",
      "INTERRUPT",
      "IOERR",
      "IOERR_FSYNC",
      "IOERR_READ",
      "IOERR_SHMMAP",
      "IOERR_SHMOPEN",
      "IOERR_WRITE",
      "MISMATCH",
      "MISUSE",
      "NOLFS",
      "NOTFOUND",
      "RANGE",
      "SCHEMA",
      "A_CODE_OF_TOMORROW"
    ]
  }

  for (const [tag, codes] of Object.entries(families)) {
    it(`is ${tag}: ${codes.length} codes`, () => {
      for (const name of codes) {
        const code = `SQLITE_${name}`
        const mapped = failure(code)
        assert.strictEqual(mapped._tag, tag, code)
        if (mapped._tag === "StorageFailure") {
          assert.deepInclude({ ...mapped }, { file: "a.db", code, reason: "what SQLite says" })
        }
      }
    })
  }

  it("a lock that others kept changing is busy, as the locks themselves are", () => {
    for (const code of ["BUSY", "BUSY_RECOVERY", "BUSY_SNAPSHOT", "LOCKED", "LOCKED_VTAB", "PROTOCOL"]) {
      assert.strictEqual(failure(`SQLITE_${code}`)._tag, "Busy", code)
    }
  })

  it("what is not SQLite's is thrown on", () => {
    const defects = [
      new TypeError("a defect"),
      Object.assign(new Error("no file"), { code: "ENOENT" }),
      "text",
      null
    ]
    for (const defect of defects) {
      assert.strictEqual(
        thrown(() => sqliteFailure("a.db", defect)),
        defect
      )
    }
  })
})
