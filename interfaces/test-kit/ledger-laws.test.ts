// The laws hold for the ledger in memory, for SQLite in memory and in files, and for the storage of an object: a few lives each,
// and many in property-tests/ledger-model.prop.ts.
import { afterAll } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Layer from "effect/Layer"
import { durableObjectHost } from "../../infrastructure/durable-objects/durable-object-host.ts"
import { durableObjectLedgerLayer } from "../../infrastructure/durable-objects/durable-object-ledger.ts"
import { standInStorage } from "../../infrastructure/durable-objects/testing/stand-in.ts"
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
    Layer.suspend(() =>
      Ledger.layerWith().pipe(
        Layer.provide(
          durableObjectLedgerLayer(durableObjectHost(standInStorage()), { ledgerId, mayCreate: true })
        )
      )
    ),
  { runs: 3 }
)
ledgerLaws(
  "a ledger in a file",
  (name) => Ledger.layer({ filename: join(folder, `${name}.db`), durability: "normal" }),
  { runs: 1, persists: true }
)
