/**
 * One contract for ledger, corpus database and cassette: whatever is wrong with a file, its disk or its neighbours ends
 * in its named error, leaves nothing half-written, and is forgotten once the cause is gone.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { answerOf, startChild } from "../testing/child-process.ts"
import { type StoreKind, storeKinds } from "../testing/store-kinds.ts"
import { folderState, keptFolder, temporaryFolder } from "../testing/temporary-folder.ts"

const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const onSmallDisk = (folder: string): ReadonlyArray<string> => {
  const mount = `mount -t tmpfs -o size=8k tmpfs "${folder}" && exec "$@"`
  return ["unshare", "--mount", "sh", "-c", mount, "sh"]
}

const mountable = (() => {
  const { folder, remove } = keptFolder()
  const [command = "", ...args] = [...onSmallDisk(folder), "true"]
  const { status } = spawnSync(command, args, { stdio: "ignore" })
  remove()
  return status === 0
})()
if (!mountable) console.warn("SKIPPED: a small file system cannot be mounted here (it needs root on Linux)")

const raw = (file: string, ...statements: ReadonlyArray<string>) => {
  const database = new Database(file)
  for (const statement of [...statements, "PRAGMA journal_mode = DELETE"]) database.exec(statement)
  database.close()
}

for (const [name, kind] of Object.entries(storeKinds) as ReadonlyArray<[string, StoreKind]>) {
  const { count, damage, makeNewer, stranger, write } = kind

  /** A closed file with one thing in it, in a folder of its own. */
  const made = Effect.gen(function* () {
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    yield* write(file, 1)
    return { folder, file }
  })

  describe(`a ${name}`, () => {
    it.live("is made once by fifty first openers, and holds what each of them wrote", () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        yield* Effect.all(
          Array.from({ length: 50 }, (_, n) => write(file, n)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* count(file), 50)
      })
    )

    it.live("is no text, no other database and no store of another kind, and leaves them as they are", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const file = (other: string) => join(folder, `${other}.db`)
        writeFileSync(file("text"), "no database at all, however long it may be".repeat(100))
        raw(file("other"), "CREATE TABLE t (a)")
        for (const [other, { write: writeOther }] of Object.entries(storeKinds)) {
          if (other !== name) yield* writeOther(file(other), 1)
        }
        for (const other of ["text", "other", "ledger", "corpus", "cassette"].filter(
          (each) => each !== name
        )) {
          const before = folderState(folder)
          const tag = yield* refusal(write(file(other), 2))
          const expected = name === "cassette" && other === "ledger" ? "LedgerIsNotACassette" : stranger
          assert.strictEqual(tag, expected, other)
          yield* Effect.flip(count(file(other)))
          assert.deepStrictEqual(folderState(folder), before, other)
        }
      })
    )

    it.live("of a newer program is opened by nobody, and stays as it is", () =>
      Effect.gen(function* () {
        const { file, folder } = yield* made
        raw(file, ...makeNewer)
        const before = folderState(folder)
        assert.strictEqual(yield* refusal(write(file, 2)), "StoreNewerThanProgram")
        yield* Effect.flip(count(file))
        assert.deepStrictEqual(folderState(folder), before)
      })
    )

    it.live("that was cut is damage or none of its kind, never an empty one, and works when it is back", () =>
      Effect.gen(function* () {
        const { file } = yield* made
        for (const n of [2, 3]) yield* write(file, n, "x".repeat(20_000))
        copyFileSync(file, `${file}.kept`)
        for (const bytes of [100, 512, 4_096, 12_288, 32_768]) {
          truncateSync(file, bytes)
          const tag = yield* refusal(write(file, 4))
          assert.include([damage, stranger, "StoreCorrupt"], tag, `${bytes} bytes`)
          rmSync(file)
          copyFileSync(`${file}.kept`, file)
        }
        assert.strictEqual(yield* count(file), 3)
        yield* write(file, 4)
        assert.strictEqual(yield* count(file), 4)
      })
    )

    it.live("that was cut to nothing beside its log is refused, and stays as it is", () =>
      Effect.gen(function* () {
        const { file, folder } = yield* made
        truncateSync(file, 0)
        writeFileSync(`${file}-wal`, "what was written last")
        const before = folderState(folder)
        assert.strictEqual(yield* refusal(write(file, 2)), stranger)
        yield* Effect.flip(count(file))
        assert.deepStrictEqual(folderState(folder), before)
      })
    )

    it.live("whose maker was killed inside its migration is made by the next who comes", () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        const child = startChild([name, "migrate", file], { script: "store" })
        assert.strictEqual(yield* Effect.promise(() => child.line()), "migrating")
        assert.strictEqual(yield* Effect.promise(() => child.ended), "SIGKILL")
        yield* Effect.flip(count(file))
        yield* write(file, 1)
        assert.strictEqual(yield* count(file), 1)
      })
    )

    it.live("that another process has locked is read, and written once it is free", () =>
      Effect.gen(function* () {
        const { file } = yield* made
        const child = startChild([name, "hold", file], { script: "store" })
        assert.strictEqual(yield* Effect.promise(() => child.line()), "held")
        const waiting = yield* Effect.forkChild(write(file, 2), { startImmediately: true })
        yield* Effect.sleep(300)
        assert.isUndefined(waiting.pollUnsafe())
        assert.strictEqual(yield* count(file), 1)
        child.send("let go")
        yield* Fiber.join(waiting)
        assert.strictEqual(yield* count(file), 2)
      })
    )

    it.skipIf(!mountable)(
      "on a full disk is StorageFull, is read or says why not, and works with room again",
      async () => {
        const folder = temporaryFolder()
        const answer = await answerOf([name, "fill", join(folder, "a.db")], {
          script: "store",
          wrapper: onSmallDisk(folder)
        })
        assert.deepStrictEqual(answer, {
          born: "StorageFull",
          first: "done",
          full: "StorageFull",
          // A reader of a cassette makes no copies: it says why there is no answer.
          readWhenFull:
            name === "cassette" ? "error: the file cannot be read (SQLITE_IOERR_SHMSIZE: disk I/O error)" : 1,
          later: "done",
          count: 2,
          left: 1
        })
      }
    )
  })
}
