/** A restore where something stands in its way: it was killed before, the place has no hard links or other owners, the file is linked. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startChild } from "../../testing/programs/child-process.ts"
import { makeLedgerFile, post, withLedger } from "../../testing/programs/ledger-program.ts"
import { isRoot, NOBODY } from "../../testing/nobody.ts"
import { damageWithLog, headOf, ledgerWithBackup, leaveLog, restoreInChild } from "../../testing/restoring.ts"
import { folderState, temporaryFolder } from "../../testing/temporary-folder.ts"
import { DRAFT_FOLDER } from "../../sqlite/files/lone-file.ts"
import { restoreLedger } from "./ledger-restore.ts"

const made = Effect.suspend(() => ledgerWithBackup(temporaryFolder()))

const draftsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith(DRAFT_FOLDER))

const permissionsOf = (file: string) => statSync(file).mode & 0o777

describe("a restore that was killed", () => {
  it.live.each([
    ["linkSync", true, "posted"],
    ["renameSync", true, "SEVERAL_NAMES"],
    ["renameSync", false, "posted"]
  ] as const)(
    "before a step (%j) leaves the old ledger, and works when it runs again",
    ([dieBefore, hardLinks, write]) =>
      Effect.gen(function* () {
        const { backup, before, filename } = yield* made
        yield* Effect.promise(() => leaveLog(filename))
        const old = yield* headOf(filename)
        const options = { backup, filename, discardNewer: true }
        const ended = yield* Effect.promise(() => restoreInChild({ ...options, hardLinks, dieBefore }))
        assert.strictEqual(ended, "died")
        assert.deepStrictEqual(yield* headOf(filename), old)
        assert.strictEqual(draftsIn(dirname(filename)).length, 1)
        const written = yield* Effect.match(withLedger({ filename }, post("after", 1)), {
          onFailure: (error) => ("code" in error ? error.code : error._tag),
          onSuccess: () => "posted"
        })
        assert.strictEqual(written, write)
        const { kept } = yield* restoreLedger(options)
        assert.deepStrictEqual(yield* headOf(filename), before)
        assert.strictEqual(kept.length, 1)
        assert.deepStrictEqual(draftsIn(dirname(filename)), [])
        yield* withLedger({ filename }, post("later", 1))
        assert.strictEqual(statSync(filename).nlink, 1)
      })
  )

  it.live("keeps a damaged ledger and its log together, also when it runs again", () =>
    Effect.gen(function* () {
      const { backup, filename } = yield* made
      damageWithLog(filename)
      const old = [readFileSync(filename), readFileSync(`${filename}-wal`)]
      const options = { backup, filename, discardNewer: false }
      yield* Effect.promise(() => restoreInChild({ ...options, hardLinks: true, dieBefore: "renameSync" }))
      const { kept } = yield* restoreLedger(options)
      assert.deepStrictEqual(
        kept.map((name) => readFileSync(name)),
        old
      )
    })
  )
})

describe("a restore without hard links", () => {
  it.live("keeps a copy of what it replaces", () =>
    Effect.gen(function* () {
      const { backup, before, filename, folder } = yield* made
      yield* Effect.promise(() => leaveLog(filename))
      const old = yield* headOf(filename)
      chmodSync(filename, 0o640)
      const options = { backup, filename, discardNewer: true }
      yield* Effect.promise(() => restoreInChild({ ...options, hardLinks: false, dieBefore: 0 }))
      assert.deepStrictEqual(yield* headOf(filename), before)
      const kept = readdirSync(folder).find((name) => name.includes(".replaced-")) ?? ""
      assert.deepStrictEqual(yield* headOf(join(folder, kept)), old)
      assert.strictEqual(permissionsOf(join(folder, kept)), 0o640)
    })
  )
})

describe("who may open what is restored and kept", () => {
  it.live.each([
    [0o600, 0o644, 0o600],
    [0o640, 0o666, 0o640],
    [0o644, 0o600, 0o600],
    [0o660, 0o400, 0o600]
  ] as const)("a restored file is as open as file and backup both are (%j)", ([mode, backupMode, restored]) =>
    Effect.gen(function* () {
      const { backup, filename } = yield* made
      chmodSync(filename, mode)
      chmodSync(backup, backupMode)
      const { kept } = yield* restoreLedger({ backup, filename })
      assert.strictEqual(permissionsOf(filename), restored)
      assert.deepStrictEqual(kept.map(permissionsOf), [mode])
    })
  )

  it.live.skipIf(!isRoot)("the owner and the group stay those of the file", () =>
    Effect.gen(function* () {
      const { backup, filename } = yield* made
      chownSync(filename, NOBODY, NOBODY)
      yield* restoreLedger({ backup, filename })
      const { gid, uid } = statSync(filename)
      assert.deepStrictEqual([uid, gid], [NOBODY, NOBODY])
    })
  )

  it.live("a folder that may not be written is an error, and nothing is changed", () =>
    Effect.gen(function* () {
      const { backup, filename, folder } = yield* made
      chmodSync(folder, 0o555)
      chmodSync(backup, 0o444)
      chmodSync(filename, 0o644)
      const state = folderState(folder)
      const child = startChild(["restoreAsNobody", filename, backup])
      assert.deepStrictEqual(yield* Effect.promise(child.line), {
        failure: { _tag: "ReadOnlyStore", file: filename }
      })
      assert.deepStrictEqual(folderState(folder), state)
    })
  )
})

describe("a restore of a linked file", () => {
  it.live("replaces the file that a symbolic link leads to", () =>
    Effect.gen(function* () {
      const { backup, before, filename, folder } = yield* made
      const link = join(folder, "link.db")
      symlinkSync(filename, link)
      yield* withLedger({ filename }, post("later", 1))
      const { file } = yield* restoreLedger({ backup, filename: link, discardNewer: true })
      assert.strictEqual(file, filename)
      assert.deepStrictEqual(yield* headOf(link), before)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.startsWith("link")),
        ["link.db"]
      )
    })
  )

  it.live("is refused for a link to nothing, a second name, and the ledger under another name", () =>
    Effect.gen(function* () {
      const { backup, filename, folder } = yield* made
      const refused = (given: { readonly backup: string; readonly filename: string }) =>
        Effect.map(Effect.flip(restoreLedger(given)), ({ _tag }) => _tag)
      const [link, self] = [join(folder, "dead.db"), join(folder, "self.db")]
      symlinkSync("nowhere.db", link)
      symlinkSync(filename, self)
      assert.strictEqual(yield* refused({ backup, filename: link }), "FileMissing")
      assert.strictEqual(yield* refused({ backup: self, filename }), "InvalidInput")
      linkSync(filename, join(folder, "second.db"))
      assert.strictEqual(yield* refused({ backup, filename }), "UnsafePlace")
      assert.strictEqual(yield* refused({ backup: join(folder, "second.db"), filename }), "UnsafePlace")
    })
  )

  it.live("works where an empty file behind a link is left beside its log", () =>
    Effect.gen(function* () {
      const { backup, before, filename, folder } = yield* made
      yield* Effect.promise(() => leaveLog(filename))
      writeFileSync(filename, "")
      const elsewhere = join(folder, "elsewhere")
      mkdirSync(elsewhere)
      symlinkSync(filename, join(elsewhere, "link.db"))
      const { kept } = yield* restoreLedger({ backup, filename: join(elsewhere, "link.db") })
      assert.deepStrictEqual(yield* headOf(filename), before)
      assert.deepStrictEqual(
        kept.map((name) => name.replace(/\.replaced-[^-]*-[^-]*-[^-]*-[^-]*-[^-]*/, "")),
        [filename, `${filename}-wal`]
      )
    })
  )
})

describe("a restore from a backup", () => {
  it.live("that is a copied file in use elsewhere reads its log too", () =>
    Effect.gen(function* () {
      const { filename } = yield* made
      yield* Effect.promise(() => leaveLog(filename))
      const folder = temporaryFolder()
      const [copy, other] = [join(folder, "copy.db"), join(folder, "other.db")]
      for (const part of ["", "-wal"]) copyFileSync(`${filename}${part}`, `${copy}${part}`)
      chmodSync(copy, 0o444)
      const state = folderState(folder)
      yield* restoreLedger({ backup: copy, filename: other })
      assert.deepStrictEqual(yield* headOf(other), yield* headOf(filename))
      assert.deepStrictEqual(
        folderState(folder).filter(([name]) => !/^other|-shm$/.test(name)),
        state
      )
    })
  )

  it.live("twice in one moment keeps both files", () =>
    Effect.gen(function* () {
      const { backup, filename } = yield* made
      const again = () => restoreLedger({ backup, filename })
      const kept = [...(yield* again()).kept, ...(yield* again()).kept]
      assert.strictEqual(new Set(kept).size, 2)
    })
  )
})

describe("a refused restore", () => {
  it.live("leaves the log of a killed writer where it is", () =>
    Effect.gen(function* () {
      const { backup, filename, folder } = yield* made
      yield* Effect.promise(() => leaveLog(filename))
      const content = () => folderState(folder).filter(([name]) => !name.endsWith("-shm"))
      const state = content()
      const other = join(temporaryFolder(), "other.db")
      yield* makeLedgerFile(other)
      for (const from of [backup, other]) yield* Effect.flip(restoreLedger({ backup: from, filename }))
      assert.deepStrictEqual(content(), state)
    })
  )
})
