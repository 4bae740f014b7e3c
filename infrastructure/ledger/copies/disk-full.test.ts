/**
 * A disk without room: the first migration leaves nothing that looks like a ledger, a group of commands fails as a
 * whole with StorageFull and leaves nothing, and with room everything works again.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LedgerEvidence } from "../../../application/ledger/verification/ledger-evidence.ts"
import { LedgerReader } from "../../../application/ledger/reading/ledger-reader.ts"
import { LedgerStore } from "../../../application/ledger/commands/ledger-store.ts"
import { Ledger } from "../../../application/ledger/ledger.ts"
import { nodeHashingLayer } from "../../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../../keys/ed25519.ts"
import { type Connection, openForWriting } from "../../sqlite/connection/better-sqlite3-host.ts"
import { answerOf } from "../../testing/programs/child-process.ts"
import { withLedger } from "../../testing/programs/ledger-program.ts"
import { keptFolder, temporaryFolder } from "../../testing/temporary-folder.ts"
import { openLedgerFile } from "../opening/ledger-file.ts"
import { inspect } from "../opening/ledger-inspection.ts"
import { migrate } from "../opening/migration-runner.ts"
import { schemaSteps } from "../opening/schema-snapshots.ts"
import { makeSqliteLedgerEvidence } from "../sqlite-ledger-evidence.ts"
import { openLedgerReader } from "../ledger-file-reader.ts"
import { makeSqliteLedgerStore } from "../sqlite-ledger-store.ts"

const birth = { ledgerId: "first", createdAt: "2026-01-01T00:00:00.000Z" }

/** The ledger's layer on a file, with its writing connection in our hands. */
const layerWithConnection = (filename: string, onOpen: (connection: Connection) => void) =>
  Ledger.layerNoDeps.pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.gen(function* () {
          const file = yield* openLedgerFile({ filename })
          onOpen(file.host)
          return Layer.mergeAll(
            Layer.succeed(LedgerStore, yield* makeSqliteLedgerStore(file)),
            Layer.succeed(LedgerReader, yield* openLedgerReader(file)),
            Layer.succeed(LedgerEvidence, makeSqliteLedgerEvidence(file)),
            nodeHashingLayer,
            nodeSigningLayer
          )
        })
      )
    )
  )

describe("PRAGMA max_page_count", () => {
  it.live(
    "during the first migration: nothing is left that looks like a ledger, and with room it is born",
    () =>
      Effect.gen(function* () {
        const filename = join(temporaryFolder(), "a.db")
        for (const pages of [1, 2, 5, 10, 20]) {
          const connection = openForWriting(filename)
          connection.pragma("journal_mode = WAL")
          connection.pragma(`max_page_count = ${pages}`)
          assert.throws(() => migrate(connection, schemaSteps(), birth), "database or disk is full")
          assert.deepStrictEqual(inspect(connection), { kind: "empty" }, `${pages} pages`)
          connection.close()
        }
        yield* withLedger(
          { filename, ledgerId: "second" },
          Ledger.use((ledger) =>
            Effect.map(ledger.verifyCassette(), (report) => {
              assert.strictEqual(ledger.ledgerId, "second")
              assert.strictEqual(report.verdict, "PASS")
              assert.strictEqual(report.counts["events"], 1)
            })
          )
        )
      })
  )

  it.live("during a group: every command fails with StorageFull, none stands, and later it works", () =>
    Effect.gen(function* () {
      const filename = join(temporaryFolder(), "a.db")
      let connection: Connection | undefined
      const program = Effect.gen(function* () {
        const ledger = yield* Ledger
        const posts = Array.from({ length: 30 }, (_, n) =>
          ledger
            .postMessage({ run_id: "r", source: "USER", payload: { n, text: "x".repeat(3_000) } })
            .pipe(Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "posted" }))
        )
        const first = yield* Effect.all(posts.slice(0, 2), { concurrency: "unbounded" })
        assert.deepStrictEqual(first, ["posted", "posted"])
        const before = yield* ledger.head
        // Room for some commands of the group, not for all.
        const pages = Number(connection?.pragma("page_count"))
        connection?.pragma(`max_page_count = ${pages + 10}`)
        const full = yield* Effect.all(posts, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(full), new Set(["StorageFull"]))
        assert.deepStrictEqual(yield* ledger.head, before)
        assert.strictEqual((yield* ledger.messages("r")).length, 2)
        assert.strictEqual((yield* ledger.verifyCassette()).verdict, "PASS")
        connection?.pragma("max_page_count = 1000000")
        const roomy = yield* Effect.all(posts, { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(roomy), new Set(["posted"]))
        assert.strictEqual((yield* ledger.head).position, before.position + 30)
        assert.strictEqual((yield* ledger.verifyCassette()).verdict, "PASS")
      })
      yield* program.pipe(
        Effect.provide(
          layerWithConnection(filename, (opened) => {
            connection = opened
          })
        )
      )
    })
  )
})

/** Runs a program in a mount namespace of its own, with a small file system on a folder; it ends with the program. */
const onSmallDisk = (folder: string): ReadonlyArray<string> => {
  const mount = `mount -t tmpfs -o size=4k tmpfs "${folder}" && exec "$@"`
  return ["unshare", "--mount", "sh", "-c", mount, "sh"]
}

const canMount = (): boolean => {
  const { folder, remove } = keptFolder()
  const [command = "", ...args] = [...onSmallDisk(folder), "true"]
  const { status } = spawnSync(command, args, { stdio: "ignore" })
  remove()
  return status === 0
}

describe("a small file system", () => {
  const mountable = canMount()
  if (!mountable) console.warn("SKIPPED: a small file system cannot be mounted here (it needs root on Linux)")

  it.skipIf(!mountable)("has no room: StorageFull each time, and with room a sound ledger", async () => {
    const folder = temporaryFolder()
    const answer = await answerOf(["fillDisk", folder, "4k,8k,16k,48k,96k"], { wrapper: onSmallDisk(folder) })
    const { births, later, left } = answer as {
      left: ReadonlyArray<string>
      births: ReadonlyArray<{ failure?: { _tag: string } }>
      later: { value: Record<string, unknown> }
    }
    assert.deepStrictEqual(
      births.map(({ failure }) => failure?._tag),
      births.map(() => "StorageFull"),
      JSON.stringify(births)
    )
    assert.deepStrictEqual(left, [])
    assert.deepStrictEqual(later.value, {
      born: { verdict: "PASS", head: 1 },
      full: Array.from({ length: 20 }, () => "StorageFull"),
      headWhenFull: 1,
      verdictWhenFull: "PASS",
      roomy: Array.from({ length: 20 }, () => "posted"),
      verdict: "PASS",
      head: 21
    })
  })
})
