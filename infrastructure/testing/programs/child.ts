/**
 * What a child process of a test does: `node child.ts <role> <arguments>`. Each role prints JSON lines and waits
 * for lines where the test decides when it goes on. It must end by itself when its standard input is closed.
 */
import { execFileSync } from "node:child_process"
import { closeSync, openSync, readdirSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { retryOnLedger } from "../../ledger/ledger-failures.ts"
import { migrate } from "../../ledger/opening/migration-runner.ts"
import { restoreLedger } from "../../ledger/copies/ledger-restore.ts"
import { schemaSteps } from "../../ledger/opening/schema-snapshots.ts"
import { CassetteFile } from "../../network/cassette-file.ts"
import { configureForWriting, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { beginHalf } from "../killed-writer.ts"
import { withLedger } from "./ledger-program.ts"
import type { SchemaStep } from "../../sqlite/checks/schema-steps.ts"
import { becomeNobody } from "../nobody.ts"
import { toyVersion } from "../toy-version.ts"
import { trialLedgerVersion } from "../trial-versions.ts"

const [role = "", filename = "", argument = ""] = process.argv.slice(2)

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const print = (value: unknown) => {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Waits for the test's next line. */
const told = async (): Promise<void> => {
  if ((await input.next()).done === true) process.exit(3)
}

/** What an effect came to, as a JSON value: the value, or the error's fields with its tag. */
const outcomeOf = <A, E extends { readonly _tag: string }>(effect: Effect.Effect<A, E>): Promise<unknown> =>
  Effect.runPromise(
    Effect.match(effect, {
      onFailure: (error): unknown => ({ failure: { ...error } }),
      onSuccess: (value): unknown => ({ value })
    })
  )

const post = (n: number) =>
  Ledger.use((ledger) => ledger.postMessage({ run_id: "r", source: "WORKER", payload: { n } }))

/** A post that needs some pages. */
const bigPost = (n: number) =>
  Ledger.use((ledger) =>
    ledger.postMessage({ run_id: "r", source: "WORKER", payload: { n, text: "x".repeat(20_000) } })
  )

/** Migrates the file and dies right before this statement of the transaction; gives how many there were. */
const migrateUntil = (last: number, steps: ReadonlyArray<SchemaStep>): number => {
  const connection = openForWriting(filename)
  configureForWriting(connection, "full")
  // The smallest cache, so that pages of the unfinished transaction are already in the log.
  connection.pragma("cache_size = 1")
  let statements = 0
  const dying: typeof connection.run = (sql, parameters) => {
    statements += 1
    if (statements === last) process.kill(process.pid, "SIGKILL")
    return connection.run(sql, parameters)
  }
  const birth = { ledgerId: "first", createdAt: "2026-01-01T00:00:00.000Z" }
  const script: typeof connection.script = (all) => {
    for (const statement of all) dying(statement)
  }
  migrate({ ...connection, run: dying, script }, steps, birth)
  return statements
}

const roles: Readonly<Record<string, () => Promise<unknown>>> = {
  /** Holds the write lock until it is told to let go. */
  hold: async () => {
    const connection = openForWriting(filename)
    connection.run("BEGIN IMMEDIATE")
    print("held")
    await told()
    connection.run("ROLLBACK")
    connection.close()
    return "released"
  },

  /** Posts one message after the other until its input ends; tells the position of each. */
  write: () =>
    outcomeOf(
      withLedger(
        { filename },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const stopped = new AbortController()
          process.stdin.on("end", () => stopped.abort())
          for (let n = 0; !stopped.signal.aborted; n++) {
            yield* post(n)
            print((yield* ledger.head).position)
            yield* Effect.sleep(1)
          }
          return "stopped"
        })
      )
    ),

  /** Posts `argument` messages and dies with its log not yet moved into the database. */
  writeAndDie: () =>
    outcomeOf(
      withLedger(
        { filename },
        Effect.gen(function* () {
          for (let n = 0; n < Number(argument); n++) yield* post(n)
          process.kill(process.pid, "SIGKILL")
          return yield* Effect.never
        })
      )
    ),

  /** Becomes a newer program: commits version 3 to the log and dies before the log is moved. */
  newerAndDie: async () => {
    const connection = openForWriting(filename)
    const guard = connection.all<{ sql: string }>(
      "SELECT sql FROM sqlite_schema WHERE name = 'tr_meta_append_only_update'"
    )[0]
    connection.run("DROP TRIGGER tr_meta_append_only_update")
    connection.run("UPDATE cassette_meta SET value = '3' WHERE key = 'db_version'")
    connection.run(guard?.sql ?? "")
    process.kill(process.pid, "SIGKILL")
    return undefined
  },

  /** Dies in the middle of a transaction that is journaled in the old way, with pages already written. */
  halfDone: async () => {
    beginHalf(openForWriting(filename), "events")
    process.kill(process.pid, "SIGKILL")
    return undefined
  },

  /** Makes a new ledger and dies right before statement number `argument` of the migration's transaction. */
  migrateAndDie: async () => migrateUntil(Number(argument), schemaSteps()),

  /** Brings a ledger of version 2 to a version 3 and dies right before statement number `argument`. */
  /** Becomes a later program that carries the file over, and waits for others that do. */
  carryOverAndDie: () =>
    outcomeOf(
      retryOnLedger(filename, 10_000, () =>
        migrateUntil(Number(argument), [...schemaSteps(), trialLedgerVersion()])
      )
    ),

  upgradeAndDie: async () => migrateUntil(Number(argument), [...schemaSteps(), toyVersion()]),

  /** Opens and posts on a disk without room, then with room: the disk is a small one of this process alone. */
  fillDisk: async () => {
    const folder = filename
    const size = (text: string) => execFileSync("mount", ["-o", `remount,size=${text}`, folder])
    const file = join(folder, "a.db")
    const filler = join(folder, "filler")
    const head = Ledger.use((ledger) => Effect.map(ledger.head, ({ position }) => position))
    const verdict = Ledger.use((ledger) => Effect.map(ledger.verifyCassette(), (report) => report.verdict))
    const births: Array<unknown> = []
    const left: Array<string> = []
    for (const room of argument.split(",")) {
      size(room)
      births.push(await outcomeOf(withLedger({ filename: file }, verdict)))
      left.push(...readdirSync(folder))
    }
    size("2m")
    return {
      births,
      left,
      later: await outcomeOf(
        withLedger(
          { filename: file },
          Effect.gen(function* () {
            const born = { verdict: yield* verdict, head: yield* head }
            // All room that is left on the disk is taken.
            const descriptor = openSync(filler, "w")
            try {
              for (;;) writeSync(descriptor, Buffer.alloc(4_096))
            } catch {
              closeSync(descriptor)
            }
            const posts = Array.from({ length: 20 }, (_, n) =>
              bigPost(n).pipe(Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "posted" }))
            )
            const full = yield* Effect.all(posts, { concurrency: "unbounded" })
            const headWhenFull = yield* head
            const verdictWhenFull = yield* verdict
            rmSync(filler)
            const roomy = yield* Effect.all(posts, { concurrency: "unbounded" })
            return {
              born,
              full,
              headWhenFull,
              verdictWhenFull,
              roomy,
              verdict: yield* verdict,
              head: yield* head
            }
          })
        )
      )
    }
  },

  /** Reads the cassette `argument` with the rights of a stranger: how many documents it has, and whether a copy was read. */
  readCassette: async () => {
    const cassette = new CassetteFile(filename, argument)
    becomeNobody()
    const read = cassette.read(({ connection, copied }) => ({
      copied: copied !== undefined,
      documents: connection.all("SELECT path FROM documents").length
    }))
    cassette.close()
    return read
  },

  /** Puts the backup `argument` in the file's place, with the rights of a stranger. */
  restoreAsNobody: async () => {
    schemaSteps()
    becomeNobody()
    return outcomeOf(restoreLedger({ backup: argument, filename }))
  },

  /** Examines a file with the rights of a stranger, for reading and then for writing: everything that reads, then one command. */
  examine: async () => {
    schemaSteps()
    becomeNobody()
    const examined = (mode: "read" | "write") =>
      withLedger(
        { filename, mode },
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const report = yield* ledger.verifyCassette({ pure: true })
          return {
            verdict: report.verdict,
            findings: report.findings,
            counts: report.counts,
            warnings: yield* ledger.warnings,
            runs: (yield* ledger.runs).map((run) => run.run_id),
            log: (yield* Stream.runCollect(ledger.events({ live: false }))).length,
            command: yield* post(1).pipe(
              Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "posted" })
            )
          }
        })
      )
    return { reading: await outcomeOf(examined("read")), writing: await outcomeOf(examined("write")) }
  }
}

const work = roles[role]
if (work === undefined) throw new Error(`No role ${role}`)
print(await work())
process.stdin.destroy()
