/**
 * A transaction that was cut short in a file that is journaled in the old way: it is undone before anything is written, but not
 * in a file that is then refused.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { restoreLedger } from "../../ledger/copies/ledger-restore.ts"
import { dieHalfway } from "../../testing/killed-writer.ts"
import { makeLedgerFile } from "../../testing/programs/ledger-program.ts"
import { headOf, ledgerWithBackup } from "../../testing/restoring.ts"
import { type StoreKind, type StoreName, storeKinds } from "../../testing/store-kinds.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"

/** Puts a file into the old journal mode, does something to it, and cuts a transaction short in it. */
const cutShort = (file: string, ...statements: ReadonlyArray<string>): void => {
  const database = new Database(file)
  for (const statement of statements) database.exec(statement)
  database.exec("PRAGMA journal_mode = DELETE")
  database.close()
  dieHalfway(file, "half_done")
  assert.isTrue(existsSync(`${file}-journal`))
}

const triggerIn = (file: string): string => {
  const database = new Database(file, { readonly: true })
  try {
    return String(database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().get())
  } finally {
    database.close()
  }
}

describe.each(Object.keys(storeKinds) as ReadonlyArray<StoreName>)("a %s with half a transaction", (name) => {
  const kind: StoreKind = storeKinds[name]

  it.live("is undone and goes on", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "a.db")
      yield* kind.write(file, 1)
      cutShort(file)
      assert.strictEqual(yield* kind.count(file), 1)
      yield* kind.write(file, 2)
      assert.strictEqual(yield* kind.count(file), 2)
      assert.isFalse(existsSync(`${file}-journal`))
    })
  )

  it.live("stays as it is, byte for byte, when it is damaged or a newer program's", () =>
    Effect.gen(function* () {
      for (const [damage, tag] of [
        [(file: string) => [`DROP TRIGGER ${triggerIn(file)}`], kind.damage],
        [() => kind.makeNewer, "StoreNewerThanProgram"]
      ] as const) {
        const folder = temporaryFolder()
        const file = join(folder, "a.db")
        yield* kind.write(file, 1)
        cutShort(file, ...damage(file))
        const state = folderState(folder)
        const error = yield* Effect.flip(kind.write(file, 2))
        assert.strictEqual(error._tag, tag)
        assert.deepStrictEqual(folderState(folder), state)
      }
    })
  )
})

describe("a restore onto half a transaction", () => {
  it.live("that is refused leaves it, and one that is done keeps it whole", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const { backup, before, filename } = yield* ledgerWithBackup(folder)
      const other = join(temporaryFolder(), "other.db")
      yield* makeLedgerFile(other)
      cutShort(filename)
      const state = folderState(folder)
      assert.strictEqual((yield* Effect.flip(restoreLedger({ backup: other, filename })))._tag, "WrongLedger")
      assert.deepStrictEqual(folderState(folder), state)
      const { kept } = yield* restoreLedger({ backup, filename })
      assert.strictEqual(kept.length, 1)
      assert.deepStrictEqual(yield* headOf(kept[0] ?? ""), before)
      assert.deepStrictEqual(yield* headOf(filename), before)
    })
  )

  it.live("in a damaged ledger keeps file and journal as they are", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const { backup, before, filename } = yield* ledgerWithBackup(folder)
      cutShort(filename, `DROP TRIGGER ${triggerIn(filename)}`)
      const hashes = () => folderState(folder).map(([, , , hash]) => hash)
      const [file, journal] = [filename, `${filename}-journal`].map((path) =>
        folderState(folder).find(([name]) => path.endsWith(name))
      )
      const { kept } = yield* restoreLedger({ backup, filename })
      assert.strictEqual(kept.length, 2)
      assert.includeMembers(hashes(), [file?.[3] ?? "", journal?.[3] ?? ""])
      assert.deepStrictEqual(yield* headOf(filename), before)
    })
  )
})
