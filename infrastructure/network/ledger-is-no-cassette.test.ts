// A ledger is never taken for a cassette, on any way by which it comes: named in a configuration, registered, written to,
// indexed, swept, exported, or standing where an import would put a cassette. Not a byte of it is changed.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openForWriting } from "../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../testing/temporary-folder.ts"
import { openCassetteWriter } from "./writing/cassette-writer.ts"
import { indexCassette } from "./writing/indexing.ts"
import { openNetwork, readNetworkFile } from "../../interfaces/embedding/network-files.ts"
import { exported, imported } from "./testing/cartridges.ts"
import { cassetteWith, local, newCassette, withNetworkOf, servedApart } from "./testing/cassettes.ts"

/** Files with a table `events`: bare, spelt otherwise, and in what was a cassette. */
const ledgers: Readonly<Record<string, (folder: string) => string>> = {
  "a table events": (folder) => {
    const file = join(folder, "bare.db")
    const connection = openForWriting(file)
    connection.run("CREATE TABLE events (position INTEGER PRIMARY KEY)")
    connection.close()
    return file
  },
  "a table EVENTS": (folder) => {
    const file = join(folder, "capital.db")
    const connection = openForWriting(file)
    connection.run("CREATE TABLE EVENTS (position INTEGER PRIMARY KEY)")
    connection.close()
    return file
  },
  "a table events in a cassette": (folder) => {
    const { connection, file } = newCassette(folder, "one")
    connection.run("CREATE TABLE events (position INTEGER PRIMARY KEY)")
    connection.close()
    return file
  }
}

const birth = { id: "one", mutability: "mutable", memories: "shared", ttlMillis: 1 } as const
const reason = /LedgerIsNotACassette/

describe.each(Object.entries(ledgers))("%s", (_, make) => {
  const given = () => {
    const folder = temporaryFolder()
    const file = make(folder)
    const config = join(folder, "network.yaml")
    const text = `network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: one, path: ${file}, type: local, sources: ["*.yaml"]}\n`
    writeFileSync(config, text)
    return { config, file, folder, before: readFileSync(file) }
  }

  it("is refused in a configuration, and when it is registered, also for a child", async () => {
    const { before, config, file, folder } = given()
    const health = await Effect.runPromise(
      Effect.scoped(Effect.flatMap(openNetwork({ file: config }), ({ status }) => status))
    )
    expect(health).toMatchObject([{ status: "refused", reason: expect.stringMatching(reason) as unknown }])
    const other = local("other", cassetteWith(folder, "other", { "a/b.md": "hub" }))
    for (const cassette of [
      local("one", file),
      servedApart({ id: "one", file, shownPath: "one.db", deadlineMillis: 60_000 })
    ]) {
      const answer = await withNetworkOf([cassette, other], (network) => network.query("hub"))
      expect(answer.answers["one"]).toMatchObject({ status: "refused" })
      expect(answer.answers["one"]?.reason).toMatch(reason)
      expect(answer.hits).toHaveLength(1)
    }
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it.each(["mutable", "immutable"] as const)("is not indexed: %s", async (mutability) => {
    const { before, config, file } = given()
    const error = await Effect.runPromise(
      Effect.flip(
        Effect.flatMap(readNetworkFile({ file: config }), ({ cassettes, root }) => {
          const cassette = { ...cassettes[0]!, birth: { ...birth, mutability } }
          return indexCassette(config, root, cassette, { progress: () => Effect.void })
        })
      )
    )
    expect(error._tag).toBe("LedgerIsNotACassette")
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it("is not written to, exported or replaced by an import", async () => {
    const { before, file, folder } = given()
    const error = await Effect.runPromise(
      Effect.flip(Effect.scoped(openCassetteWriter(file, birth, "normal")))
    )
    expect(error._tag).toBe("LedgerIsNotACassette")
    await expect(exported("one", file, join(folder, "out"))).rejects.toThrow(reason)
    await exported("other", cassetteWith(folder, "other", { "a/b.md": "hub" }), join(folder, "out"))
    expect(await imported(join(folder, "out"), file)).toMatchObject({
      failure: { _tag: "CassetteFileExists" }
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })
})
