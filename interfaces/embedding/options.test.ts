// Options are judged strictly and in one way, whichever layer they are of: what is misspelt, of another type or out of
// bounds is refused by the option's name, before any file is made. So is a Node that could not open a database at all.
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { afterEach, describe, expect, it, vi } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { Corpus, InvalidInput, Ledger, repairExpansionLines } from "./index.ts"
import { Network } from "./network.ts"

type Options = Readonly<Record<string, unknown>>

/** What opening a layer fails with. */
const refusalOf = (layer: Layer.Layer<never, unknown> | Layer.Layer<unknown, unknown>) =>
  Effect.runPromise(
    Effect.flip(Effect.scoped(Effect.provide(Effect.void, layer as Layer.Layer<never, unknown>)))
  )

/** Each opening with options that are right in a folder, and the wrong values of each option. */
const openings: Readonly<
  Record<
    string,
    {
      readonly right: (folder: string) => Options
      readonly open: (options: never) => Promise<unknown>
      readonly wrong: Readonly<Record<string, ReadonlyArray<unknown>>>
    }
  >
> = {
  "Ledger.layer": {
    right: (folder) => ({ filename: join(folder, "a.db") }),
    open: (options) => refusalOf(Ledger.layer(options)),
    wrong: {
      filename: ["", "a.db/", "a\0b", " :memory:", "file:a.db", undefined, 1, ["a.db"]],
      mode: ["readonly", 1, null],
      durability: ["fast", true],
      ledgerId: ["", "x".repeat(257), "\ud800", 7],
      busyDeadline: [Number.NaN, -1, "-5 millis", "soon", null, () => 1],
      allowNetworkFs: ["yes", 1],
      networkKind: ["NFS"],
      verifyOnOpen: ["yes", true, "FULL"],
      queueCapacity: [0, 1.5, Number.NaN, "many", Number.POSITIVE_INFINITY],
      fileName: ["a.db"]
    }
  },
  "Corpus.layer": {
    right: (folder) => ({ root: folder }),
    open: (options) => refusalOf(Corpus.layer(options)),
    wrong: {
      root: ["", undefined, 1],
      mode: ["readonly"],
      cache: ["json", true],
      busyDeadline: [Number.NaN, -1, "soon"],
      allowNetworkFs: ["yes"],
      asFound: ["yes"],
      filename: ["a.db"]
    }
  },
  repairExpansionLines: {
    right: (folder) => ({ root: folder }),
    open: (options) => Effect.runPromise(Effect.flip(repairExpansionLines(options))),
    wrong: { root: ["", undefined, 1], busyDeadline: [-1], cache: ["jsonl"] }
  },
  "Network.layer": {
    right: (folder) => ({ file: join(folder, "network.yaml") }),
    open: (options) => refusalOf(Network.layer(options)),
    wrong: {
      file: ["", undefined, 1],
      root: ["", 1],
      deadlineMillis: [0, -1, Number.NaN, Number.POSITIVE_INFINITY, "5 seconds"],
      childProgram: ["", 1, "/there/is/no/such.js"],
      agent: ["", "x".repeat(257), 7],
      watch: ["yes", 1],
      wtach: [true]
    }
  }
}

const cases = Object.entries(openings).flatMap(([name, { wrong }]) =>
  Object.entries(wrong).flatMap(([option, values]) => values.map((value) => [name, option, value] as const))
)

describe("an option that is not right", () => {
  it.each(cases)("%s refuses %s: %j", async (name, option, value) => {
    const { open, right } = openings[name]!
    const folder = temporaryFolder()
    writeFileSync(join(folder, "network.yaml"), 'network: {version: "1.0", protocol: SNP}\ncassettes: []\n')
    const refusal = await open({ ...right(folder), [option]: value } as never)
    expect(refusal).toBeInstanceOf(InvalidInput)
    expect(new Set((refusal as InvalidInput).issues.map(({ path }) => path))).toEqual(new Set([`/${option}`]))
    expect(readdirSync(folder)).toEqual(["network.yaml"])
  })

  it.each(Object.keys(openings))("%s refuses what holds no options", async (name) => {
    for (const none of [undefined, null, "a.db"]) {
      expect(await openings[name]!.open(none as never)).toMatchObject({ _tag: "InvalidInput" })
    }
  })
})

describe("a Node that is too old", () => {
  afterEach(() => vi.unstubAllGlobals())

  it.each(["Ledger.layer", "Corpus.layer", "Network.layer"])("is refused by %s", async (name) => {
    const { open, right } = openings[name]!
    const old = Object.create(process, {
      versions: { value: { ...process.versions, node: "20.11.1" } }
    }) as NodeJS.Process
    vi.stubGlobal("process", old)
    const refusal = await open(right(temporaryFolder()) as never)
    expect(refusal).toMatchObject({
      _tag: "UnsupportedNode",
      version: "20.11.1",
      message: "This is Node 20.11.1, and Node 22.19 or newer is needed: start the program with a newer Node"
    })
  })
})
