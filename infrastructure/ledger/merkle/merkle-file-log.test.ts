// The disposable tree: extended, and made again whenever anything about it is not as it should be. With anything in the
// file, an answer is the right one.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { execFileSync, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { onTestFinished } from "vitest"
import { MerkleLog } from "../../../application/ledger/proofs/merkle-log.ts"
import { hexText } from "../../../domain/canonical/bytes.ts"
import { naivePath, naiveProof, naiveRoot } from "../../../domain/evidence/testing/naive-merkle.ts"
import { chainedEvents, inputsOf, logOf } from "../../testing/merkle-events.ts"
import { assertRight, rightAnswers, runMerkle as run } from "../../testing/merkle-answers.ts"
import { programOf } from "../../testing/programs/program.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { endOffset, HEADER_BYTES, nodeCount, nodeOffset } from "./merkle-file-format.ts"

const hexes = (path: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => path.map(hexText)

const events = chainedEvents(1_300, "a")

describe("the layout", () => {
  it("gives every node of a tree its own place, without a gap", () => {
    for (const size of [1, 2, 3, 7, 8, 9, 100, 257]) {
      const offsets = new Set<number>()
      for (let level = 0; 2 ** level <= size; level++) {
        for (let index = 0; (index + 1) * 2 ** level <= size; index++) offsets.add(nodeOffset(level, index))
      }
      assert.strictEqual(offsets.size, nodeCount(size))
      assert.strictEqual(Math.max(...offsets) + 32, endOffset(size))
      assert.strictEqual(Math.min(...offsets), HEADER_BYTES)
    }
  })

  it.effect(
    "is the same bytes whether the tree was made at once or grew, and two hashes an event at most",
    () =>
      Effect.gen(function* () {
        const [once, grown] = [join(temporaryFolder(), "l.db"), join(temporaryFolder(), "l.db")]
        yield* assertRight(once, logOf(events), 1_300, 700, 640)
        for (const size of [1, 2, 3, 500, 1_024, 1_300]) {
          yield* assertRight(grown, logOf(events.slice(0, size)), size, size - 1, Math.ceil(size / 2))
        }
        const bytes = readFileSync(`${once}.merkle`)
        assert.isTrue(bytes.equals(readFileSync(`${grown}.merkle`)))
        assert.strictEqual(bytes.length, endOffset(1_300))
        assert.isAtMost(bytes.length, HEADER_BYTES + 64 * 1_300)
      })
  )
})

describe("a tree that is there", () => {
  it.effect("answers for every smaller size, and reads no event but the newest that it covers", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      const log = logOf(events.slice(0, 40))
      yield* assertRight(file, log, 40)
      for (let size = 1; size <= 40; size++) {
        log.read = 0
        yield* assertRight(file, log, size, Math.floor(size / 3), Math.ceil(size / 2))
        assert.strictEqual(log.read, 2)
      }
    })
  )

  it.effect("is extended by the new events alone", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      const log = logOf(events.slice(0, 1_000))
      yield* assertRight(file, log, 1_000)
      log.events = events
      log.read = 0
      yield* assertRight(file, log, 1_300, 1_299, 1_000)
      assert.strictEqual(log.read, 1 + 300 + 1)
    })
  )
})

describe("a tree is made again", () => {
  const SIZE = 7
  const small = events.slice(0, SIZE)

  // A property, merkle-file, changes any byte, and tears the file at any length.
  it.effect("after a single byte of it was changed", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const whole = readFileSync(`${file}.merkle`)
      for (let at = 0; at < whole.length; at += 13) {
        const damaged = Buffer.from(whole)
        damaged[at]! ^= 0x10
        writeFileSync(`${file}.merkle`, damaged)
        // Nothing damaged may get out, whichever question comes first; all of them together ask for every node.
        yield* run(
          file,
          logOf(small),
          Effect.gen(function* () {
            for (let n = 0; n < SIZE; n++) {
              const index = (n + at) % SIZE
              yield* rightAnswers(logOf(small), SIZE, index, index + 1)
            }
          })
        )
        assert.isTrue(readFileSync(`${file}.merkle`).equals(whole), `byte ${at}`)
      }
    })
  )

  it.effect("for any damaged node and any first question", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const whole = readFileSync(`${file}.merkle`)
      const inputs = inputsOf(small)
      for (let at = HEADER_BYTES; at < whole.length; at += 32) {
        const damaged = Buffer.from(whole)
        damaged[at]! ^= 1
        for (let to = 1; to <= SIZE; to++) {
          const root = hexText(naiveRoot(inputs.slice(0, to)))
          for (let from = 1; from <= to; from++) {
            writeFileSync(`${file}.merkle`, damaged)
            const question = MerkleLog.use((merkle) => merkle.consistency(from, to))
            const linked = yield* run(file, logOf(small), question)
            assert.deepStrictEqual(hexes(linked.path), hexes(naiveProof(from, inputs.slice(0, to))))
            assert.strictEqual(hexText(linked.root), root)
            assert.strictEqual(hexText(linked.oldRoot), hexText(naiveRoot(inputs.slice(0, from))))
            writeFileSync(`${file}.merkle`, damaged)
            const found = yield* run(
              file,
              logOf(small),
              MerkleLog.use((merkle) => merkle.inclusions(to, [from - 1]))
            )
            assert.deepStrictEqual(found.paths, [hexes(naivePath(from - 1, inputs.slice(0, to)))])
            assert.strictEqual(hexText(found.root), root)
          }
        }
      }
    })
  )

  it.effect("before it is extended, so that no damage is built upon", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const whole = readFileSync(`${file}.merkle`)
      for (let at = 0; at < whole.length; at += 29) {
        const damaged = Buffer.from(whole)
        damaged[at]! ^= 0x10
        writeFileSync(`${file}.merkle`, damaged)
        yield* assertRight(file, logOf(events.slice(0, 10)), 10, 9, SIZE)
      }
    })
  )

  it.effect("when it is torn", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const whole = readFileSync(`${file}.merkle`)
      for (let length = 0; length < whole.length; length += 17) {
        truncateSync(`${file}.merkle`, length)
        yield* assertRight(file, logOf(small), SIZE)
        assert.isTrue(readFileSync(`${file}.merkle`).equals(whole), `length ${length}`)
      }
    })
  )

  it.effect("when its nodes are zeros behind a good header, as after a power cut", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const whole = readFileSync(`${file}.merkle`)
      writeFileSync(
        `${file}.merkle`,
        Buffer.concat([whole.subarray(0, HEADER_BYTES), Buffer.alloc(whole.length - HEADER_BYTES)])
      )
      yield* assertRight(file, logOf(small), SIZE)
      assert.isTrue(readFileSync(`${file}.merkle`).equals(whole))
    })
  )

  it.effect("when it is of another ledger, shorter, longer or as long", () =>
    Effect.gen(function* () {
      for (const size of [3, SIZE, 40]) {
        const file = join(temporaryFolder(), "l.db")
        yield* assertRight(file, logOf(chainedEvents(size, "another")), size)
        yield* assertRight(file, logOf(small), SIZE)
      }
    })
  )

  it.effect("when the history was rewritten or cut behind it", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(small), SIZE)
      const rewritten = chainedEvents(SIZE, "b", small.slice(0, 3))
      yield* assertRight(file, logOf(rewritten), SIZE, 4, 3)
      yield* assertRight(file, logOf(rewritten.slice(0, 6)), 6, 4, 3)
    })
  )

  it.effect("on demand, when a tree was put there that is whole and false", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      // All leaves but the last are invented: every check that costs less than reading all events passes.
      const invented = [...chainedEvents(SIZE - 1, "b"), small[SIZE - 1]!]
      const merkle = yield* run(
        file,
        logOf(invented),
        MerkleLog.use((log) => log.consistency(4, SIZE))
      )
      const before = yield* run(
        file,
        logOf(small),
        MerkleLog.use((log) => log.consistency(4, SIZE))
      )
      assert.deepStrictEqual(before, merkle)
      yield* run(
        file,
        logOf(small),
        MerkleLog.use((log) => log.rebuild(SIZE))
      )
      yield* assertRight(file, logOf(small), SIZE, 4, 4)
    })
  )

  it.effect("in place of a link, a pipe or text, and never through a link", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const file = join(folder, "l.db")
      const victim = join(folder, "victim")
      // A good tree that would be lengthened if the link were followed.
      yield* assertRight(file, logOf(small), 3)
      renameSync(`${file}.merkle`, victim)
      const before = readFileSync(victim)
      const places = [
        () => symlinkSync(victim, `${file}.merkle`),
        () => symlinkSync(join(folder, "nowhere"), `${file}.merkle`),
        () => execFileSync("mkfifo", [`${file}.merkle`]),
        () => writeFileSync(`${file}.merkle`, "hello\n".repeat(100))
      ]
      for (const place of places) {
        rmSync(`${file}.merkle`, { force: true })
        place()
        yield* assertRight(file, logOf(small), SIZE)
        assert.isTrue(statSync(`${file}.merkle`).isFile())
        assert.isTrue(readFileSync(victim).equals(before))
      }
      assert.deepStrictEqual(readdirSync(folder).sort(), ["l.db.merkle", "victim"])
    })
  )
})

describe("where nothing can be written beside the ledger", () => {
  it.effect("a private folder serves, and is gone afterwards", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const before = process.env["TMPDIR"]
      process.env["TMPDIR"] = folder
      // A folder stands in the tree's place, the second ledger's folder does not exist, the third's name has no room.
      mkdirSync(join(folder, "l.db.merkle"))
      const longest = join(folder, "l".repeat(250))
      for (const file of [join(folder, "l.db"), join(folder, "none", "l.db"), longest, ":memory:"]) {
        yield* assertRight(file, logOf(events), 1_300, 77, 78)
      }
      assert.isFalse(existsSync(":memory:.merkle"))
      assert.deepStrictEqual(readdirSync(folder), ["l.db.merkle"])
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
    })
  )
})

describe("two at once", () => {
  it.effect("both answer right, from nothing and from damage, and leave a good tree", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      for (const start of [undefined, "garbage"]) {
        rmSync(`${file}.merkle`, { force: true })
        if (start !== undefined) writeFileSync(`${file}.merkle`, start)
        yield* Effect.all(
          [1_300, 1_000, 1_300, 600, 1].map((size) => assertRight(file, logOf(events), size, 0, 1)),
          { concurrency: "unbounded" }
        )
        const log = logOf(events)
        yield* assertRight(file, log, 1_300, 9, 9)
      }
    })
  )
})

describe("several processes at once", () => {
  const child = programOf("infrastructure/testing/programs/merkle-child.ts")

  const start = (file: string, size: number) => {
    const started = spawn(process.execPath, [child, file, "3000", String(size)], {
      stdio: ["pipe", "pipe", "inherit"]
    })
    onTestFinished(() => void started.kill("SIGKILL"))
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
    return { started, line: async () => String((await lines.next()).value) }
  }

  it.live("all answer right and leave a good tree", () =>
    Effect.promise(async () => {
      const file = join(temporaryFolder(), "l.db")
      const all = chainedEvents(3_000, "a")
      const sizes = [3_000, 2_999]
      writeFileSync(`${file}.merkle`, "garbage")
      const children = sizes.map((size) => start(file, size))
      for (const { line } of children) assert.strictEqual(await line(), "ready")
      for (const { started } of children) started.stdin.write("go\n")
      const roots = await Promise.all(children.map(({ line }) => line()))
      assert.deepStrictEqual(
        roots,
        sizes.map((size) => hexText(naiveRoot(inputsOf(all.slice(0, size)))))
      )
      await Effect.runPromise(assertRight(file, logOf(all), 3_000, 1_234, 2_345))
    })
  )
})

describe("an event that is no part of a log", () => {
  it.effect("is damage of the store, and no tree is made of it", () =>
    Effect.gen(function* () {
      const withHash = (hash: string) => events.slice(0, 8).with(4, { ...events[4]!, hash })
      const broken = [
        withHash(events[4]!.hash.toUpperCase()),
        withHash(""),
        events.slice(0, 9).filter(({ position }) => position !== 5),
        events.slice(0, 7)
      ]
      for (const list of broken) {
        const file = join(temporaryFolder(), "l.db")
        const error = yield* Effect.flip(
          run(
            file,
            logOf(list),
            MerkleLog.use((log) => log.inclusions(8, [0]))
          )
        )
        assert.strictEqual(error._tag, "StoreCorrupt")
      }
    })
  )
})

describe("permissions", () => {
  it.effect.skipIf(process.getuid?.() === 0)("a file that can only be read is used and left alone", () =>
    Effect.gen(function* () {
      const file = join(temporaryFolder(), "l.db")
      yield* assertRight(file, logOf(events), 1_000)
      chmodSync(`${file}.merkle`, 0o400)
      const before = readFileSync(`${file}.merkle`)
      yield* assertRight(file, logOf(events), 900)
      assert.isTrue(readFileSync(`${file}.merkle`).equals(before))
    })
  )
})
