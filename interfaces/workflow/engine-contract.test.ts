// The contract of a workflow engine holds for Effect's own in memory and for ours. It is complete, and its list in the documents
// is that of the tests.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Workflows from "effect/workflow"
import { afterAll, describe, expect, it } from "vitest"
import { CassetteWorkflowEngine } from "./index.ts"
import { BEHAVIOURS, engineContract } from "./testing/engine-contract.ts"

const folder = mkdtempSync(join(tmpdir(), "cassette-contract-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

engineContract("Effect's own in memory", () => Workflows.WorkflowEngine.layerMemory)
engineContract("ours on SQLite in memory", () => CassetteWorkflowEngine.layer({ filename: ":memory:" }))
// property-tests/engine-contract.prop.ts tries the other chapters in a file.
engineContract(
  "ours on a file",
  (name) => CassetteWorkflowEngine.layer({ filename: join(folder, `${name}.db`), durability: "normal" }),
  { executions: BEHAVIOURS["executions"] ?? [] }
)

/** Exports that reach no engine, are shown by another one, or are for engines alone. */
const NOT_OF_AN_ENGINE = [
  "DurableDeferred.Token",
  "DurableDeferred.TokenParsed",
  "DurableDeferred.TokenTypeId",
  "DurableDeferred.succeed",
  "DurableDeferred.tokenFromExecutionId",
  "DurableDeferred.tokenFromPayload",
  "Workflow.Result",
  "Workflow.ResultEncoded",
  "Workflow.isResult",
  "WorkflowEngine.WorkflowEngine",
  "WorkflowEngine.layerMemory",
  "WorkflowEngine.makeDeferredState",
  "WorkflowEngine.makeUnsafe",
  "WorkflowProxy.toHttpApiGroup",
  "WorkflowProxy.toRpcGroup"
]

/** Of a queue that is worked elsewhere; its behaviours stand beside the queue. */
const isOfQueues = (name: string): boolean => name.startsWith("DurableQueue.")

const all = Object.values(BEHAVIOURS).flat()
const subjects = new Set<string>(all.map(({ of }) => of))

const chapters = Object.entries(BEHAVIOURS).map(([about, behaviours]) => {
  const list = behaviours.map(({ of, says }) => `- \`${of}\` ${says}.`)
  return `## ${about}\n\n${list.join("\n")}\n`
})

const document = `# Behaviours of a workflow engine

Each is a test that runs on Effect's own engine in memory and on ours, in memory and in a file: \`engineContract\` in
\`interfaces/workflow/testing\`. This list is held by the test itself.

${chapters.join("\n")}`

describe("the contract", () => {
  it("has a behaviour of each export of Effect's workflow modules", () => {
    const exported = Object.entries(Workflows).flatMap(([module, members]) =>
      Object.keys(members).map((member) => `${module}.${member}`)
    )
    const open = exported.filter((name) => !subjects.has(name) && !isOfQueues(name))
    expect(open.toSorted()).toStrictEqual(NOT_OF_AN_ENGINE)
  })

  it("has a behaviour of each function of an engine but its registration, which each has", () => {
    const functions = Object.keys({
      execute: 0,
      poll: 0,
      interrupt: 0,
      interruptUnsafe: 0,
      resume: 0,
      awaitComplete: 0,
      activityExecute: 0,
      deferredResult: 0,
      deferredDone: 0,
      scheduleClock: 0
    } satisfies Record<Exclude<keyof Workflows.WorkflowEngine.Encoded, "register">, 0>)
    const shown = (name: string) =>
      subjects.has(`WorkflowEngine.${name}`) || subjects.has(`Workflow.make.${name}`)
    expect(functions.filter((name) => !shown(name))).toStrictEqual([])
  })

  it("says each behaviour once", () => {
    const names = all.map(({ of, says }) => `${of} ${says}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toStrictEqual([])
  })

  it("is listed in the documents", async () => {
    await expect(document).toMatchFileSnapshot("../../docs/guarantees/workflow-behaviours.md")
  })
})
