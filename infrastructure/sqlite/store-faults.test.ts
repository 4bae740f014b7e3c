/**
 * One contract for ledger, corpus database and cassette: each fault of a file, its disk or its neighbours ends
 * in its named error, leaves nothing half-written, and is forgotten once the cause is gone.
 */
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { answerOf, startChild } from "../testing/programs/child-process.ts"
import { firstOpeners } from "../testing/programs/first-openers.ts"
import { HELD_LOCK_OUTCOME, heldLock } from "../testing/held-lock.ts"
import { nobodyReaches } from "../testing/nobody.ts"
import { onSmallDisk, smallDiskMountable } from "../testing/small-disk.ts"
import { type Refusal, type StoreKind, type StoreName, storeKinds } from "../testing/store-kinds.ts"
import { folderState, temporaryFolder } from "../testing/temporary-folder.ts"

const refusal = (effect: Effect.Effect<unknown, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

const raw = (file: string, ...statements: ReadonlyArray<string>) => {
  const database = new Database(file)
  for (const statement of [...statements, "PRAGMA journal_mode = DELETE"]) database.exec(statement)
  database.close()
}

/** A folder's files without the index of a log, which is no content: it holds the marks of anyone who reads right now. */
const contentState = (folder: string) => folderState(folder).filter(([file]) => !file.endsWith("-shm"))

/** What the status of a cassette says that cannot even be copied. */
const NO_ROOM_FOR_A_CASSETTE =
  "error: StorageFull: there is no room for what reading needs: make room on the disk of the file or on that of temporary files"

/** How long another process holds a lock; a property holds it for longer (milliseconds). */
const HELD_MILLIS = 300

const FIRST_OPENERS = 8
const FIRST_PROCESSES = 2
const FIRST_WRITES_EACH = 5

const modes = (folderMode: number, fileMode: number) => (folder: string) => {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), fileMode)
  chmodSync(folder, folderMode)
}

/** Where writing is forbidden, and how it is made so and undone. */
const places: ReadonlyArray<readonly [string, (folder: string) => void, (folder: string) => void]> = [
  ["a read-only folder, read-only itself,", modes(0o555, 0o444), modes(0o755, 0o644)],
  ["a folder that cannot be written", modes(0o555, 0o666), modes(0o755, 0o644)],
  ["a read-only file", modes(0o777, 0o444), modes(0o755, 0o644)]
]

/** A file in a place, and how many things it holds. */
interface Case {
  readonly place: string
  readonly folder: string
  readonly file: string
  readonly held: number
}

const onReadOnlyDisk = (folders: ReadonlyArray<string>): ReadonlyArray<string> => {
  const mounts = folders.map(
    (folder) => `mount --bind "${folder}" "${folder}" && mount -o remount,ro,bind "${folder}"`
  )
  return ["unshare", "--mount", "sh", "-c", `${mounts.join(" && ")} && exec "$@"`, "sh"]
}

if (!nobodyReaches) console.warn("SKIPPED: the folder of temporary files is closed to everybody but root")

for (const [name, kind] of Object.entries(storeKinds) as ReadonlyArray<[StoreName, StoreKind]>) {
  const { count, damage, makeNewer, stranger, verify, write } = kind

  /** A closed file with one thing in it, in a folder of its own. */
  const made = Effect.gen(function* () {
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    yield* write(file, 1)
    return { folder, file }
  })

  /** A file with two things in it, one of them in a log alone, as a killed writer leaves it. */
  const died = Effect.gen(function* () {
    const { file: busy } = yield* made
    const folder = temporaryFolder()
    const file = join(folder, "a.db")
    // A reader that has the file open keeps its log from being moved into it.
    const reader = new Database(busy)
    reader.exec("SELECT 1 FROM sqlite_schema")
    yield* write(busy, 2)
    for (const part of ["", "-wal", "-shm"]) copyFileSync(`${busy}${part}`, `${file}${part}`)
    reader.close()
    assert.isAbove(statSync(`${file}-wal`).size, 0)
    return { folder, file }
  })

  /** A file whose writer ended well, with one thing in it, and one whose writer died, with two. */
  const whoseWriterEnded = Effect.gen(function* () {
    return [
      { ...(yield* made), held: 1 },
      { ...(yield* died), held: 2 }
    ]
  })

  describe(`a ${name}`, () => {
    it.live("is made once by first openers at once, and holds what each of them wrote", () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        yield* Effect.all(
          Array.from({ length: FIRST_OPENERS }, (_, n) => write(file, n)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* count(file), FIRST_OPENERS)
      })
    )

    it.live("is made once by first openers in several processes", () =>
      Effect.gen(function* () {
        const file = join(temporaryFolder(), "a.db")
        const answers = yield* firstOpeners(name, file, FIRST_PROCESSES, FIRST_WRITES_EACH)
        assert.deepStrictEqual(new Set(answers), new Set(["done"]))
        assert.strictEqual(yield* count(file), FIRST_PROCESSES * FIRST_WRITES_EACH)
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

    it.live("of a newer program is not opened, and stays as it is", () =>
      Effect.gen(function* () {
        const { file, folder } = yield* made
        raw(file, ...makeNewer)
        const before = folderState(folder)
        assert.strictEqual(yield* refusal(write(file, 2)), "StoreNewerThanProgram")
        yield* Effect.flip(count(file))
        assert.deepStrictEqual(folderState(folder), before)
      })
    )

    it.live("names the command that lists every fault when it is damaged, and no other store's", () =>
      Effect.gen(function* () {
        const { file } = yield* made
        const bytes = readFileSync(file)
        // The schema can still be read, and nothing behind it.
        writeFileSync(file, bytes.fill(0xff, 4_096))
        for (const attempt of [write(file, 2), count(file)]) {
          const { message } = yield* Effect.flip(attempt as Effect.Effect<unknown, Refusal>)
          assert.include(message, "damaged")
          assert.deepStrictEqual([...new Set(message.match(/cortex \w+ verify/g))], [verify])
          if (name !== "ledger") assert.notInclude(message, "ledger")
        }
      })
    )

    it.live("whose header miscounts the free pages is damaged, and nothing is written to it", () =>
      Effect.gen(function* () {
        const { file } = yield* made
        const bytes = readFileSync(file)
        bytes[39]! ^= 1
        writeFileSync(file, bytes)
        assert.strictEqual(yield* refusal(write(file, 2)), damage)
        assert.deepStrictEqual(readFileSync(file), bytes)
      })
    )

    it.live("that was cut is damage or none of its kind, never an empty one, and works when it is back", () =>
      Effect.gen(function* () {
        const { file } = yield* made
        for (const n of [2, 3]) yield* write(file, n, { text: "x".repeat(20_000) })
        copyFileSync(file, `${file}.kept`)
        for (const bytes of [100, 512, 4_096, 12_288, 32_768]) {
          truncateSync(file, bytes)
          const tag = yield* refusal(write(file, 4))
          assert.include([damage, stranger], tag, `${bytes} bytes`)
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

    it.live("that is missing beside its log is not made again, and is whole when it is put back", () =>
      Effect.gen(function* () {
        const { file, folder } = yield* died
        renameSync(file, `${file}.kept`)
        const before = folderState(folder)
        const error = yield* Effect.flip(write(file, 3))
        assert.strictEqual(error._tag, stranger)
        assert.match(
          (error as unknown as Error).message,
          /a\.db-wal \(\d+ bytes, [1-9]\d* frames of 4096-byte pages\)/
        )
        yield* Effect.flip(count(file))
        assert.deepStrictEqual(folderState(folder), before)
        renameSync(`${file}.kept`, file)
        yield* write(file, 3)
        assert.strictEqual(yield* count(file), 3)
      })
    )

    it.live(
      "is made beside an index, a log without frames and a journal that is over: they hold nothing",
      () =>
        Effect.gen(function* () {
          const file = join(temporaryFolder(), "a.db")
          writeFileSync(`${file}-shm`, Buffer.alloc(32_768, 1))
          writeFileSync(`${file}-wal`, "")
          writeFileSync(`${file}-journal`, Buffer.alloc(512))
          yield* write(file, 1)
          assert.strictEqual(yield* count(file), 1)
        })
    )

    it.live("is not made beside a journal that may hold a half-done transaction", () =>
      Effect.gen(function* () {
        const folder = temporaryFolder()
        const file = join(folder, "a.db")
        const magic = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
        writeFileSync(
          `${file}-journal`,
          Buffer.concat([Buffer.from(magic), Buffer.alloc(8), Buffer.from([0, 0, 0, 1]), Buffer.alloc(600)])
        )
        const before = folderState(folder)
        assert.strictEqual(yield* refusal(write(file, 1)), stranger)
        assert.deepStrictEqual(folderState(folder), before)
      })
    )

    it.live("with a second name is read and not written, by either name, until one of them is gone", () =>
      Effect.gen(function* () {
        const { file, folder } = yield* made
        const elsewhere = join(temporaryFolder(), "b.db")
        for (const second of [join(folder, "b.db"), elsewhere]) {
          linkSync(file, second)
          const before = folderState(folder)
          for (const path of [file, second]) {
            const error = yield* Effect.flip(write(path, 2))
            assert.deepInclude({ ...error } as object, { _tag: "UnsafePlace", code: "SEVERAL_NAMES" })
          }
          assert.deepStrictEqual(folderState(folder), before)
          assert.strictEqual(yield* count(file), 1)
          rmSync(second)
        }
        yield* write(file, 2)
        assert.strictEqual(yield* count(file), 2)
      })
    )

    it.skipIf(!smallDiskMountable)("that is mounted without its folder is read and not written", async () => {
      const folder = temporaryFolder()
      const [host, container] = ["host", "container"].map((each) => join(folder, each))
      const file = join(container!, "a.db")
      for (const each of [host!, container!]) mkdirSync(each)
      await Effect.runPromise(write(join(host!, "a.db"), 1))
      const mount = `touch "${file}" && mount --bind "${host}/a.db" "${file}" && exec "$@"`
      const wrapper = ["unshare", "--mount", "sh", "-c", mount, "sh"]
      const answers = await answerOf([name, "use", "root", file], { script: "store", wrapper })
      assert.deepStrictEqual(answers, [{ write: "UnsafePlace", read: 1 }])
      await Effect.runPromise(write(join(host!, "a.db"), 2))
    })

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

    it.live(
      "that another process has locked is read; who waits long enough writes, who does not is told",
      () =>
        Effect.map(heldLock(name, HELD_MILLIS), (outcome) =>
          assert.deepStrictEqual(outcome, HELD_LOCK_OUTCOME)
        )
    )

    it.live.skipIf(!nobodyReaches)(
      "where its file, its folder or both may not be written is read, and written once it can be",
      () =>
        Effect.gen(function* () {
          const cases: Array<Case & { readonly before: unknown; readonly unlock: () => void }> = []
          for (const [place, lock, unlock] of places) {
            for (const each of yield* whoseWriterEnded) {
              const { folder } = each
              lock(folder)
              cases.push({ ...each, place, before: contentState(folder), unlock: () => unlock(folder) })
            }
          }
          const files = cases.map(({ file }) => file)
          const answers = yield* Effect.promise(() =>
            answerOf([name, "use", "nobody", ...files], { script: "store" })
          )
          assert.deepStrictEqual(
            answers,
            cases.map(({ held }) => ({ write: "ReadOnlyStore", read: held }))
          )
          for (const { before, file, folder, held, place, unlock } of cases) {
            assert.deepStrictEqual(contentState(folder), before, place)
            unlock()
            yield* write(file, 3)
            assert.strictEqual(yield* count(file), held + 1, place)
          }
        })
    )

    it.live.skipIf(!smallDiskMountable)(
      "on a read-only file system is read, and written once it can be",
      () =>
        Effect.gen(function* () {
          const cases = yield* whoseWriterEnded
          const [before, folders, files] = [
            cases.map(({ folder }) => folderState(folder)),
            cases.map(({ folder }) => folder),
            cases.map(({ file }) => file)
          ]
          const answers = yield* Effect.promise(() =>
            answerOf([name, "use", "root", ...files], { script: "store", wrapper: onReadOnlyDisk(folders) })
          )
          assert.deepStrictEqual(
            answers,
            cases.map(({ held }) => ({ write: "ReadOnlyStore", read: held }))
          )
          assert.deepStrictEqual(folders.map(folderState), before)
          for (const { file, held } of cases) {
            yield* write(file, 3)
            assert.strictEqual(yield* count(file), held + 1)
          }
        })
    )

    it.skipIf(!smallDiskMountable)(
      "on a full disk is StorageFull, is read, and works with room again",
      async () => {
        const folder = temporaryFolder()
        const answer = await answerOf([name, "fill", join(folder, "a.db")], {
          script: "store",
          wrapper: onSmallDisk(folder, 8)
        })
        assert.deepStrictEqual(answer, {
          born: "StorageFull",
          first: "done",
          full: "StorageFull",
          readWhenFull: 1,
          readWithoutCopy: name === "cassette" ? NO_ROOM_FOR_A_CASSETTE : "StorageFull",
          later: "done",
          count: 2,
          left: 1
        })
      }
    )
  })
}
