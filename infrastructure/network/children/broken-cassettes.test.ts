// What can happen to a cassette's file while eight fibers ask: it goes away, is cut, overwritten, replaced, locked or
// made unreadable. Every question is answered by the others, the status says what is wrong and what to do, nothing is
// deleted or repaired, and once the cause is gone the cassette answers again.
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { dirname, join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import type { MergedAnswer } from "../../../application/network/answers.ts"
import type { NetworkShape } from "../../../application/network/hub.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { cassetteWith, local, servedApart, withNetworkOf } from "../testing/cassettes.ts"

const FIBERS = 8

/** How long each of them waits before it asks again (milliseconds). */
const PAUSE_MILLIS = 80

/** How long a cassette that another program has locked is waited for: it is locked for longer (milliseconds). */
const BUSY_MILLIS = 200

/** How often bytes are overwritten; CORRUPTIONS sets another number. */
const ROUNDS = Number(process.env["CORRUPTIONS"] ?? 20)

const until = async (holds: () => boolean, what: string): Promise<void> => {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 10_000) throw new Error(`it never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Overwrites a part of a file in place. */
const overwrite = (file: string, at: number, length: number): void => {
  const handle = openSync(file, "r+")
  writeSync(handle, Buffer.alloc(length, 0xa5), 0, length, at)
  closeSync(handle)
}

/** Puts something else where the file is; the cassette is kept under another name. */
const instead = (put: (file: string) => void) => (file: string) => {
  renameSync(file, `${file}.kept`)
  put(file)
  return () => {
    rmSync(file, { recursive: true, force: true })
    renameSync(`${file}.kept`, file)
  }
}

/** Changes the file itself; a copy is put back. */
const inPlace = (change: (file: string) => void) => (file: string) => {
  copyFileSync(file, `${file}.kept`)
  change(file)
  return () => {
    renameSync(`${file}.kept`, file)
  }
}

const database = (sql: string) => (file: string) => {
  const made = new Database(file)
  made.exec(sql)
  made.close()
}

/** A file that is open already cannot be locked, so a locked one is put in its place. */
const lock = (file: string) => {
  const locked = `${file}.locked`
  copyFileSync(file, locked)
  const holder = new Database(locked)
  holder.pragma("locking_mode = EXCLUSIVE")
  holder.exec("BEGIN EXCLUSIVE")
  renameSync(file, `${file}.kept`)
  renameSync(locked, file)
  return () => {
    holder.close()
    renameSync(`${file}.kept`, file)
  }
}

type Harm = readonly [
  name: string,
  harm: (file: string) => () => void,
  status: "offline" | "error" | "refused",
  reason: RegExp
]

const harms: ReadonlyArray<Harm> = [
  ["removed", instead(() => {}), "offline", /missing: put it back/],
  ["emptied", inPlace((file) => truncateSync(file)), "error", /empty: put it back/],
  [
    "cut in half",
    inPlace((file) => truncateSync(file, lstatSync(file).size / 2)),
    "error",
    /damaged \(.*\): cortex network verify lists every fault; put it back/
  ],
  ["cut to a few bytes", inPlace((file) => truncateSync(file, 50)), "error", /put it back/],
  ["overwritten at its head", inPlace((file) => overwrite(file, 0, 4_096)), "error", /no SQLite database/],
  [
    "overwritten in the middle",
    inPlace((file) => {
      overwrite(file, 4_096, lstatSync(file).size - 4_096)
    }),
    "error",
    /damaged \(.*\): cortex network verify lists every fault; put it back/
  ],
  [
    "replaced by text",
    instead((file) => writeFileSync(file, "text ".repeat(500))),
    "error",
    /no SQLite database/
  ],
  [
    "replaced by a ledger",
    instead(database("CREATE TABLE events (a)")),
    "refused",
    /LedgerIsNotACassette.*name another/
  ],
  [
    "replaced by another database",
    instead(database("CREATE TABLE t (a)")),
    "refused",
    /NotACassette.*name another/
  ],
  ["replaced by an empty database", instead(database("PRAGMA user_version = 1")), "offline", /index it/],
  [
    "replaced by another cassette",
    instead((file) => {
      renameSync(cassetteWith(dirname(file), "other", { "a/b.md": "common" }), file)
    }),
    "refused",
    /the cassette other, not .*: correct/
  ],
  ["replaced by a folder", instead((file) => mkdirSync(file)), "error", /no file but .*correct its path/],
  [
    "replaced by a FIFO",
    instead((file) => execFileSync("mkfifo", [file])),
    "error",
    /no file but .*correct its path/
  ],
  [
    "replaced by a link to nowhere",
    instead((file) => symlinkSync(`${file}.none`, file)),
    "offline",
    /missing/
  ],
  [
    "replaced by a link to itself",
    instead((file) => symlinkSync(file, file)),
    "error",
    /ELOOP.*look at its path/
  ],
  ["locked by another program", lock, "offline", /locked.*ask again/]
]

/** What would change if anything were written to what stands at a path, without opening it. */
const state = (file: string): string => {
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "nothing" : `${found.mode} ${found.ino} ${found.size} ${found.mtimeNs}`
}

/** Asks with eight fibers until `work` is done; every question must be answered with what the good cassette has. */
const whileAsking = async (
  network: NetworkShape,
  work: (latest: () => MergedAnswer | undefined) => Promise<void>
): Promise<number> => {
  let latest: MergedAnswer | undefined
  const done = new AbortController()
  let asked = 0
  const ask = async (fiber: number) => {
    while (!done.signal.aborted) {
      const answer = await Effect.runPromise(network.query(`common word${fiber} ${asked % 10}`))
      expect(answer.hits.some(({ places }) => places.some(({ source }) => source === "good"))).toBe(true)
      latest = answer
      asked += 1
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
    }
  }
  const fibers = Array.from({ length: FIBERS }, (_, fiber) => ask(fiber))
  await Promise.all([...fibers, work(() => latest).finally(() => done.abort())])
  return asked
}

const documents = Object.fromEntries(
  Array.from({ length: 10 }, (_, number) => [
    `a/${number}.md`,
    `# Part ${number}\n\n${Array.from({ length: 90 }, (_, word) => `common word${(number * word) % 97}`).join(" ")}`
  ])
)

const kept = keptFolder()
beforeAll(() => {
  for (const id of ["good", "here", "apart"]) cassetteWith(kept.folder, id, documents)
})
afterAll(kept.remove)

const inNetwork = (folder: string, use: (network: NetworkShape) => Promise<void>) => {
  const file = (id: string) => join(folder, `${id}.db`)
  for (const id of ["good", "here", "apart"]) copyFileSync(join(kept.folder, `${id}.db`), file(id))
  const apart = servedApart({
    id: "apart",
    file: file("apart"),
    shownPath: "apart.db",
    pauseMillis: 1,
    busyDeadlineMillis: BUSY_MILLIS
  })
  return withNetworkOf(
    [local("good", file("good")), local("here", file("here"), BUSY_MILLIS), apart],
    (network) => Effect.promise(() => use(network))
  )
}

describe("a cassette that is harmed while eight fibers ask", () => {
  // One network for all of them: what is mended answers again before the next harm.
  it("is a status with a reason, and answers again, after any harm", async () => {
    const folder = temporaryFolder()
    await inNetwork(folder, (network) =>
      whileAsking(network, async (latest) => {
        for (const [name, harm, status, reason] of harms) {
          for (const id of ["here", "apart"]) {
            const file = join(folder, `${id}.db`)
            const isWhole = () => latest()?.partial === false
            await until(isWhole, `${name}: whole`)
            const mend = harm(file)
            const harmed = state(file)
            let reasonGiven: string | undefined
            await until(() => {
              const { [id]: answer } = latest()?.answers ?? {}
              if (answer?.status === status) reasonGiven = answer.reason
              return reasonGiven !== undefined
            }, `${name}: ${status}`)
            expect(reasonGiven, name).toMatch(reason)
            expect(state(file), name).toBe(harmed)
            mend()
            await until(isWhole, `${name}: mended`)
          }
          expect(existsSync(join(folder, "here.db.kept")), name).toBe(false)
        }
      }).then((asked) => expect(asked).toBeGreaterThan(2 * harms.length))
    )
  })

  it("made unreadable, is a status with a reason, and answers again", async () => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o755)
    const file = join(folder, "here.db")
    await inNetwork(folder, async (network) => {
      await Effect.runPromise(network.query("common", 10, { cassettes: ["good"] }))
      chmodSync(file, 0)
      // The superuser may read anything.
      const isSuperuser = process.getuid?.() === 0
      if (isSuperuser) process.seteuid?.(65_534)
      onTestFinished(() => {
        if (isSuperuser) process.seteuid?.(0)
      })
      const ask = () => Effect.runPromise(network.query("common", 10, { cassettes: ["good", "here"] }))
      const { answers, hits } = await ask()
      expect(hits.length).toBeGreaterThan(0)
      expect(answers["here"]).toMatchObject({ status: "error", reason: expect.stringMatching(/permissions/) })
      if (isSuperuser) process.seteuid?.(0)
      chmodSync(file, 0o600)
      expect((await ask()).answers["here"]).toMatchObject({ status: "ok" })
    })
  })
})

describe("a cassette with bytes that were overwritten anywhere", () => {
  it("is read or is a status, and never keeps the others from answering", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "here.db")
    const statuses = new Set<string | undefined>()
    await inNetwork(folder, async (network) => {
      const { size } = lstatSync(file)
      for (let round = 0; round < ROUNDS; round++) {
        copyFileSync(file, `${file}.kept`)
        // Places that are spread over the file and are the same in every run.
        for (let place = 0; place < 4; place++) {
          overwrite(file, ((round * 4 + place) * 7_919) % (size - 32), 1 + ((round * 5) % 32))
        }
        const options = { cassettes: ["good", "here"] }
        const { answers, hits } = await Effect.runPromise(network.query("common word5 7", 50, options))
        const listed = await Effect.runPromise(network.queryAll('"common word1" b', 50, options))
        const health = await Effect.runPromise(network.status)
        expect(hits.some(({ places }) => places.some(({ source }) => source === "good"))).toBe(true)
        expect(listed.answers["good"]?.status).toBe("ok")
        expect(health.find((each) => "cassette_id" in each && each.cassette_id === "good")?.status).toBe("ok")
        statuses.add(answers["here"]?.status)
        renameSync(`${file}.kept`, file)
      }
      expect((await Effect.runPromise(network.query("common"))).partial).toBe(false)
    })
    expect([...statuses].sort()).toEqual(expect.arrayContaining(["error", "ok"]))
  })
})
