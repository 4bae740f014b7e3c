// Memories under fire: eight processes save in the same two cassettes, half of them are killed at a random moment. Every
// save that was acknowledged is there afterwards, by its agent's name and for its eyes, and the cassettes are whole.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CassetteFile } from "../infrastructure/network/cassette-file.ts"
import { verifyCassetteFile } from "../infrastructure/network/verification/cassette-verification.ts"
import { Network } from "../interfaces/embedding/network.ts"
import { type Child, startScript } from "./support/processes/child-process.ts"
import { propParameters } from "./support/configuration.ts"

interface Saved {
  readonly cassette: "own" | "shared"
  readonly hash: string
  readonly number: number
}

const WRITERS = 8
const SURVIVOR_SAVES = 6

const configuration = `network: {version: "1.0", protocol: SNP}
cassettes:
  - {id: shared, path: shared.db, type: local, mutability: append-only}
  - {id: own, path: own.db, type: local, mutability: append-only, capabilities: [agent_id]}
`

const agentOf = (index: number): string => `agent-${index}`

/** Half of the writers are killed once they have saved something and some time has passed; the others end by themselves. */
const saveTogether = async (file: string, millis: number): Promise<ReadonlyArray<Child<Saved>>> => {
  const children = Array.from({ length: WRITERS }, (_, index) =>
    startScript<Saved>("memory", [file, agentOf(index), index % 2 === 0 ? "0" : `${SURVIVOR_SAVES}`])
  )
  try {
    const victims = children.filter((_, index) => index % 2 === 0)
    await Promise.all(victims.map((child) => child.lines(1)))
    await sleep(millis)
    for (const child of victims) child.kill()
    for (const [index, child] of children.entries()) {
      const { how, stderr } = await child.ended
      expect(how, stderr).toBe(index % 2 === 0 ? "SIGKILL" : 0)
    }
    return children
  } finally {
    for (const child of children) child.kill()
  }
}

/** What one agent finds of what it was told. */
const nothingIsLost = (file: string, agent: string, told: ReadonlyArray<Saved>) =>
  Effect.runPromise(
    Network.use((network) =>
      Effect.gen(function* () {
        for (const { cassette, hash, number } of told) {
          const { sources } = yield* network.memoryRecall(hash, { cassettes: [cassette] })
          const saves = sources.flatMap((source) => source.saves)
          expect(
            saves.filter((save) => save.agent_id === agent && save.metadata["number"] === number),
            `${agent} ${cassette} ${number}`
          ).toHaveLength(1)
          if (cassette === "own") expect(saves.every((save) => save.agent_id === agent)).toBe(true)
        }
      })
    ).pipe(Effect.provide(Network.layer({ file, agent })))
  )

const findingsOf = (file: string, id: string) => {
  const cassette = new CassetteFile(file, id)
  const verified = cassette.read(({ connection }) => verifyCassetteFile(connection, id))
  cassette.close()
  return "value" in verified ? verified.value.findings : verified
}

describe("eight processes that save memories, half of them killed", () => {
  it("lose nothing that was acknowledged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 400 }), async (millis) => {
        const folder = mkdtempSync(join(tmpdir(), "cassette-memories-"))
        try {
          const file = join(folder, "network.yaml")
          writeFileSync(file, configuration)
          const children = await saveTogether(file, millis)
          for (const [index, { told }] of children.entries()) {
            if (index % 2 === 1) expect(told).toHaveLength(2 * SURVIVOR_SAVES)
            await nothingIsLost(file, agentOf(index), told)
          }
          for (const id of ["shared", "own"]) expect(findingsOf(join(folder, `${id}.db`), id)).toEqual([])
        } finally {
          rmSync(folder, { recursive: true, force: true })
        }
      }),
      propParameters(0.01)
    )
  })
})
