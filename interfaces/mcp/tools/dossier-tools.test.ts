// Dossiers as tools: proven against a checkpoint that the owner signed, verified with and without the open ledger.
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { runCli, temporaryFolder } from "../../cli/testing/in-process.ts"
import { Session } from "../testing/session.ts"

const place = temporaryFolder()
const at = (...names: ReadonlyArray<string>): string => join(place.folder, ...names)
const printed = async (...args: ReadonlyArray<string>) => (await runCli(args, { cwd: place.folder })).stdout
let session: Session

beforeAll(async () => {
  session = new Session(place.folder)
  await session.initialize()
  await session.data("message_post", { run_id: "r1", source: "USER", payload: { intent: "tidy" } })
  await printed("key", "generate", "--out", "audit.pem")
  await printed("cassette", "checkpoint", "--key", "audit.pem", "--out", "monday.txt")
  const ledgerId = readFileSync(at("monday.txt"), "utf8").split("\n")[0]?.slice("cassette/".length) ?? ""
  writeFileSync(
    at("trust.json"),
    await printed("key", "trust", "--public-key", "audit.pem.pub", "--ledger", ledgerId)
  )
})

afterAll(async () => {
  await session.close()
  place.remove()
})

const request = { run_id: "r1", checkpoint: "monday.txt", out: "evidence" }

it("exports against a signed checkpoint, and verifies", async () => {
  expect(await session.data("dossier_export", request)).toMatchObject({
    created: true,
    counts: { events: 1 }
  })
  expect(await session.data("dossier_export", request)).toMatchObject({ created: false })
  const given = { path: "evidence", trust: "trust.json" }
  expect(await session.data("dossier_verify", given)).toMatchObject({ verdict: "PASS", complete: null })
  await session.data("message_post", { run_id: "r1", source: "USER", payload: { intent: "more" } })
  expect(await session.data("dossier_verify", { ...given, compare: true })).toMatchObject({
    verdict: "PASS",
    complete: true,
    newer_events: 1
  })
  appendFileSync(at("evidence", "events.jsonl"), "\n")
  expect(await session.data("dossier_verify", given)).toMatchObject({ verdict: "FAIL" })
})

it("refuses what is no checkpoint, no trust file, no run, and what lies outside", async () => {
  expect(await session.code("dossier_export", { ...request, checkpoint: "trust.json" })).toBe(
    "NOT_A_CHECKPOINT"
  )
  expect(await session.code("dossier_export", { ...request, checkpoint: "none" })).toBe("NOT_A_CHECKPOINT")
  expect(await session.code("dossier_export", { ...request, run_id: "r2", out: "x" })).toBe("RUN_NOT_FOUND")
  expect(await session.code("dossier_export", { ...request, out: "../x" })).toBe("PATH_OUTSIDE_ROOT")
  expect(await session.code("dossier_verify", { path: "evidence", trust: "monday.txt" })).toBe(
    "NOT_A_TRUST_FILE"
  )
  expect(await session.code("dossier_verify", { path: "..", trust: "trust.json" })).toBe("PATH_OUTSIDE_ROOT")
})
