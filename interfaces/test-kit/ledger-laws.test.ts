// The laws hold for the ledger in memory, for SQLite in memory and for SQLite in files.
import { afterAll } from "vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ledger } from "../embedding/ledger.ts"
import { ledgerLaws } from "./ledger-laws.ts"
import { memoryLedgerLayer } from "./memory-ledger.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-laws-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

ledgerLaws("a ledger in memory", () => memoryLedgerLayer, { runs: 20 })
ledgerLaws("a ledger on SQLite", () => Ledger.layer({ filename: ":memory:" }), { runs: 5 })
ledgerLaws(
  "a ledger in a file",
  (name) => Ledger.layer({ filename: join(folder, `${name}.db`), durability: "normal" }),
  { runs: 3, persists: true }
)
