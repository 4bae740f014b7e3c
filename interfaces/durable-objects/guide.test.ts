// The code of the guide, to the letter, as a worker: its imports and classes, and its calls inside `fetch`. What comes out is a file that
// verifies.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, expect, it } from "vitest"
import { keptFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { runCli } from "../cli/testing/in-process.ts"
import { describeInWorkerd } from "./testing/describe-workerd.ts"

/** A document's programs, in their order. */
const programsOf = (document: string): ReadonlyArray<string> => {
  const text = readFileSync(fileURLToPath(new URL(`../../${document}`, import.meta.url)), "utf8")
  return [...text.matchAll(/```text\n(import [\s\S]*?)```/g)].map(([, program = ""]) => program)
}

const programs = programsOf("docs/guides/durable-objects.md")

const { folder, remove } = keptFolder()
afterAll(remove)

/** A program with a worker's frame around its calls; `more` are calls of this test. */
const workerOf = (name: string, program: string, more: string): string => {
  const all = program.split("\n")
  const isCall = (line: string) => line.startsWith("const ")
  const calls = all.filter(isCall)
  const definitions = all.filter((line) => !isCall(line))
  const file = join(folder, `${name}.ts`)
  const lines = [
    ...definitions,
    "export default { async fetch(request: Request, env: any): Promise<Response> {",
    'const runId = "greeting"',
    ...calls,
    more,
    "} }"
  ]
  writeFileSync(file, lines.join("\n"))
  return file
}

const statementsOf = (program: string | undefined) =>
  (program ?? "").split("\n").filter((line) => /^(?:im|ex|const)/.test(line))

it("README's program is the first of the guide", () => {
  expect(statementsOf(programsOf("README.md")[0])).toEqual(statementsOf(programs[0]))
  expect(statementsOf(programs[0])).toHaveLength(3)
})

describeInWorkerd(
  "the guide's first program",
  (running) => {
    it("posts to a ledger, whose log is a file that verifies", async () => {
      expect(programs.length).toBe(2)
      const response = await fetch(running.workerd().address)
      expect(JSON.parse(response.headers.get("outcome") ?? "null")).toMatchObject({
        ok: true,
        data: { created: true }
      })
      writeFileSync(join(running.folder, "run.jsonl"), await response.text())
      const imported = await runCli(["cassette", "import", "run.jsonl", "--to", "run.db"], {
        cwd: running.folder
      })
      expect(imported).toMatchObject({ code: 0 })
      const verified = await runCli(["cassette", "verify", "--db", "run.db"], { cwd: running.folder })
      expect(verified).toMatchObject({ code: 0, stderr: "PASS: All invariants verified\n" })
    })
  },
  workerOf(
    "first",
    programs[0] ?? "",
    "return new Response((await env.RUN.getByName(runId).export()).data, { headers: { outcome: JSON.stringify(outcome) } })"
  ),
  ["Run"]
)

describeInWorkerd(
  "the guide's second program",
  (running) => {
    it("signs a checkpoint", async () => {
      expect(await (await fetch(running.workerd().address)).json()).toMatchObject({
        ok: true,
        data: { origin: "cassette/greeting", size: 2 }
      })
    })
  },
  workerOf(
    "second",
    programs[1] ?? "",
    'const run = env.RUN.getByName(runId)\nawait run.post({ run_id: runId, source: "USER", payload: {} })\nreturn Response.json(await run.checkpoint())'
  ),
  ["Run"]
)
