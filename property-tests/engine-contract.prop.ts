// The whole contract of a workflow engine on a ledger in a file. The test beside the engine tries it in memory, and a part of it in a
// file.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { CassetteWorkflowEngine } from "../interfaces/workflow/index.ts"
import { engineContract } from "../interfaces/workflow/testing/engine-contract.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-contract-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

engineContract("ours on a file", (name) =>
  CassetteWorkflowEngine.layer({ filename: join(folder, `${name}.db`), durability: "normal" })
)
