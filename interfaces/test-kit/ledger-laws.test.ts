// The laws hold for the ledger in memory, for SQLite in memory and in files, and for the storage of an object: a few lives each,
// and many in property-tests/ledger-model.prop.ts.
import { afterAll } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { timestampFromMillis } from "../../domain/canonical/timestamp.ts"
import { durableObjectHost } from "../../infrastructure/durable-objects/durable-object-host.ts"
import { durableObjectLedgerLayer } from "../../infrastructure/durable-objects/durable-object-ledger.ts"
import { standInStorage } from "../../infrastructure/durable-objects/testing/stand-in.ts"
import { migrate } from "../../infrastructure/ledger/opening/migration-runner.ts"
import { schemaSteps } from "../../infrastructure/ledger/opening/schema-snapshots.ts"
import { Ledger } from "../embedding/ledger.ts"
import { ledgerLaws } from "./ledger-laws.ts"
import { memoryLedgerLayer } from "./memory-ledger.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-laws-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

ledgerLaws("a ledger in memory", () => memoryLedgerLayer, { runs: 6 })
ledgerLaws("a ledger on SQLite", () => Ledger.layer({ filename: ":memory:" }), { runs: 2 })
ledgerLaws(
  "a ledger in an object",
  (ledgerId) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const host = durableObjectHost(standInStorage())
        // An object has no ledger to ask before its first event: here it has one, and nothing more.
        migrate(host, schemaSteps(), {
          ledgerId,
          createdAt: timestampFromMillis(yield* Clock.currentTimeMillis)
        })
        return Layer.provide(
          Ledger.layerWith(),
          durableObjectLedgerLayer(host, { ledgerId, mayCreate: false })
        )
      })
    ),
  { runs: 3 }
)
ledgerLaws(
  "a ledger in a file",
  (name) => Ledger.layer({ filename: join(folder, `${name}.db`), durability: "normal" }),
  { runs: 1, persists: true }
)
