/**
 * The boundaries of the layers are held by the build and by lint, each by itself: in a scratch copy of the settings
 * every forbidden import fails both, and every allowed one passes both. Nothing of the repository is touched. Which part
 * of a layer may import which, no setting can say: that is read from the imports themselves.
 */
import { execFileSync } from "node:child_process"
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"

const root = dirname(fileURLToPath(import.meta.url))
const binaries = join(root, "node_modules", ".bin")

/** What each layer may import of the others. */
const allowed = {
  domain: [],
  application: ["domain"],
  migrations: [],
  infrastructure: ["domain", "application", "migrations"],
  interfaces: ["domain", "application", "infrastructure"]
} satisfies Readonly<Record<string, ReadonlyArray<string>>>

type Layer = keyof typeof allowed
const layers = Object.keys(allowed) as ReadonlyArray<Layer>
const mayImport = (from: Layer, to: Layer): boolean => allowed[from].some((layer) => layer === to)

/** The ways of writing an import; each must be caught. */
const forms: Readonly<Record<string, (specifier: string) => string>> = {
  value: (specifier) => `import { value } from "${specifier}"\nexport const probe = value\n`,
  type: (specifier) => `import type { Value } from "${specifier}"\nexport type Probe = Value\n`,
  export: (specifier) => `export { value } from "${specifier}"\n`
}

/** Where the probes stand in their layer; what they import stands at the same place in its own. */
const places = ["", "ledger/"]

/** A folder with the repository's settings and, in each layer, one honest file for each probe to import. */
const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cassette-layers-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ["tsconfig.base.json", ".oxlintrc.json", "package.json"]) {
    cpSync(join(root, name), join(folder, name))
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const layer of layers) {
    mkdirSync(join(folder, layer, "ledger"), { recursive: true })
    cpSync(join(root, layer, "tsconfig.json"), join(folder, layer, "tsconfig.json"))
    // The build reports a file that does not belong once, so every probe has a file of its own to import.
    for (const place of places) {
      for (const form of Object.keys(forms)) {
        const honest = "export const value = 1\nexport type Value = number\n"
        writeFileSync(join(folder, layer, `${place}${form}.ts`), honest)
      }
    }
  }
  return folder
}

/** What a program prints, whether or not it fails. */
const output = (folder: string, binary: string, ...args: ReadonlyArray<string>): string => {
  try {
    return execFileSync(join(binaries, binary), args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PATH: `${binaries}${delimiter}${process.env["PATH"] ?? ""}` }
    })
  } catch (error) {
    const { stderr, stdout } = error as { readonly stdout: string; readonly stderr: string }
    return `${stdout}${stderr}`
  }
}

/** The files with an error of the build, of all layers that it is asked to build. */
const brokenInBuild = (folder: string, built: ReadonlyArray<Layer>): ReadonlySet<string> =>
  new Set(
    output(folder, "tsc", "-b", ...built, "--pretty", "false")
      .split("\n")
      .flatMap((line) => /^([^(\s]+)\(\d+,\d+\): error /.exec(line)?.[1] ?? [])
  )

/** The files with an error of lint that forbids something. */
const brokenInLint = (folder: string): ReadonlySet<string> => {
  const report = JSON.parse(output(folder, "oxlint", "--format", "json")) as {
    readonly diagnostics: ReadonlyArray<{ readonly code: string; readonly filename: string }>
  }
  return new Set(
    report.diagnostics
      .filter(({ code }) => /no-restricted|no-undef/.test(code))
      .map(({ filename }) => filename)
  )
}

interface Probe {
  readonly file: string
  readonly forbidden: boolean
}

/** Writes one file for each way to import each layer. */
const writeImports = (folder: string, from: Layer): ReadonlyArray<Probe> => {
  const probes: Array<Probe> = []
  for (const to of layers) {
    if (to === from) continue
    for (const [form, write] of Object.entries(forms)) {
      for (const place of places) {
        const file = `${from}/${place}${form}-of-${to}.ts`
        writeFileSync(join(folder, file), write(`${place === "" ? ".." : "../.."}/${to}/${place}${form}.ts`))
        probes.push({ file, forbidden: !mayImport(from, to) })
      }
    }
  }
  return probes
}

const filesOf = (probes: ReadonlyArray<Probe>, forbidden: boolean): ReadonlyArray<string> =>
  probes.flatMap((probe) => (probe.forbidden === forbidden ? [probe.file] : [])).sort()

describe("imports of other layers", () => {
  // The build lets interfaces reach the migrations through infrastructure; lint alone keeps them apart.
  const built = layers.filter((layer) => layer !== "interfaces")

  it("are refused by the build where a layer may not have them, and nowhere else", () => {
    const folder = scratch()
    const probes = built.flatMap((layer) => writeImports(folder, layer))
    expect([...brokenInBuild(folder, built)].sort()).toEqual(filesOf(probes, true))
  })

  it("and so says lint, of every layer", () => {
    const folder = scratch()
    const probes = layers.flatMap((layer) => writeImports(folder, layer))
    expect([...brokenInLint(folder)].sort()).toEqual(filesOf(probes, true))
  })
})

describe("inside interfaces", () => {
  /** Each file with what it imports, and whether lint must refuse that. */
  const imports: ReadonlyArray<readonly [file: string, specifier: string, forbidden: boolean]> = [
    ["cli/doctor/probe", "../../../infrastructure/ledger/value.ts", true],
    ["cli/network/probe", "../../../infrastructure/ledger/value.ts", true],
    ["cli/probe", "../../infrastructure/ledger/value.ts", true],
    ["mcp/probe", "../../infrastructure/ledger/value.ts", true],
    ["embedding/probe", "../../infrastructure/ledger/value.ts", false],
    ["cli/allowed", "../embedding/value.ts", false],
    ["mcp/tool", "../cli/value.ts", true],
    ["mcp/allowed", "../shared/value.ts", false],
    ["cli/command", "../mcp/value.ts", true],
    ["cli/network/command", "../../mcp/value.ts", true],
    ["shared/command", "../cli/value.ts", true],
    ["shared/tool", "../mcp/value.ts", true],
    ["embedding/command", "../cli/value.ts", true],
    ["embedding/test", "../test-kit/value.ts", true],
    ["cli/test", "../test-kit/value.ts", true],
    ["cli/network/test", "../../test-kit/value.ts", true],
    ["mcp/test", "../test-kit/value.ts", true],
    ["shared/test", "../test-kit/value.ts", true],
    ["promise/test", "../test-kit/value.ts", true],
    ["test-kit/command", "../cli/value.ts", true],
    ["test-kit/tool", "../mcp/value.ts", true],
    ["test-kit/deep/probe", "../../embedding/value.ts", false],
    ["test-kit/probe", "../../infrastructure/ledger/value.ts", false]
  ]

  it("commands and tools know neither each other nor infrastructure", () => {
    const folder = scratch()
    const probes = imports.flatMap(([file, specifier, forbidden]) =>
      Object.entries(forms).map(([form, write]): Probe => {
        const path = `interfaces/${file}-of-${form}.ts`
        mkdirSync(join(folder, dirname(path)), { recursive: true })
        writeFileSync(join(folder, path), write(specifier))
        return { file: path, forbidden }
      })
    )
    expect([...brokenInLint(folder)].sort()).toEqual(filesOf(probes, true))
  })
})

describe("packages and globals", () => {
  const texts: Readonly<Record<string, string>> = {
    "barrel.ts": 'import { Effect } from "effect"\nexport const probe = Effect.void\n',
    "kysely.ts": 'import { sql } from "kysely"\nexport const probe = sql\n',
    "sqlite.ts": 'import Database from "better-sqlite3"\nexport const probe = Database\n',
    "node.ts": 'import { readFileSync } from "node:fs"\nexport const probe = readFileSync\n',
    "platform.ts": 'import * as Node from "@effect/platform-node"\nexport const probe = Node\n',
    "process.ts": "export const probe = process.pid\n",
    "clock.ts": "export const probe = Date.now()\n",
    "chance.ts": "export const probe = Math.random()\n",
    "runner.ts": 'import { it } from "vitest"\nexport const probe = it\n',
    "chances.ts": 'import * as fc from "fast-check"\nexport const probe = fc\n',
    "effect.ts": 'import * as Schema from "effect/Schema"\nexport const probe = Schema.String\n'
  }

  /** What lint must refuse in each layer. */
  const refused: Readonly<Record<Layer, ReadonlyArray<string>>> = {
    domain: Object.keys(texts).filter((name) => name !== "effect.ts"),
    application: Object.keys(texts).filter((name) => name !== "effect.ts"),
    migrations: ["barrel.ts", "effect.ts", "platform.ts", "runner.ts", "chances.ts"],
    infrastructure: ["barrel.ts", "runner.ts", "chances.ts"],
    interfaces: ["barrel.ts", "runner.ts", "chances.ts"]
  }

  it("are refused by lint where they do not belong, and nowhere else", () => {
    const folder = scratch()
    for (const layer of layers) {
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, layer, name), text)
    }
    // The one place that may know a test runner.
    mkdirSync(join(folder, "interfaces/test-kit"))
    for (const name of ["runner.ts", "chances.ts", "barrel.ts"]) {
      writeFileSync(join(folder, "interfaces/test-kit", name), texts[name] ?? "")
    }
    const expected = layers.flatMap((layer) => refused[layer].map((name) => `${layer}/${name}`))
    expected.push("interfaces/test-kit/barrel.ts")
    expect([...brokenInLint(folder)].sort()).toEqual(expected.sort())
  })

  it("of Node are unknown to the build of domain, application and migrations", () => {
    const bare = ["domain", "application", "migrations"] as const
    const folder = scratch()
    for (const layer of bare) {
      for (const name of ["node.ts", "process.ts", "effect.ts"]) {
        writeFileSync(join(folder, layer, name), texts[name] ?? "")
      }
    }
    const expected = bare.flatMap((layer) => [`${layer}/node.ts`, `${layer}/process.ts`])
    expect([...brokenInBuild(folder, bare)].sort()).toEqual(expected.sort())
  })
})

/** A file's imports of other files here, by path: of types and lazy ones, too. */
type Imports = ReadonlyMap<string, ReadonlyArray<string>>

const importedBy = (file: string, text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?:^(?:import|export)\s[^"]*?from|^import|\bimport\()\s*"(\.[^"]+)"/gm)].map(
    ([, specifier = ""]) => normalize(join(dirname(file), specifier))
  )

/** What the product's files import; tests import what they like. */
const productImports = (): Imports =>
  new Map(
    layers.flatMap((layer) =>
      readdirSync(join(root, layer), { recursive: true, withFileTypes: true })
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((file) => /(?<!\.test)\.ts$/.test(file) && !file.includes("/testing/"))
        .map((file) => [file, importedBy(file, readFileSync(join(root, file), "utf8"))] as const)
    )
  )

const partOf = (file: string): string => file.split("/").slice(0, 2).join("/")

/** What each part of the pure layers may import beside itself and the layer's own name below it. */
const partsBelow: Readonly<Record<string, ReadonlyArray<string>>> = {
  "domain/canonical": [],
  "domain/foundation": ["domain/canonical"],
  "domain/evidence": ["domain/canonical"],
  "domain/ledger": ["domain/canonical", "domain/foundation"],
  "domain/history": ["domain/canonical", "domain/foundation", "domain/ledger", "domain/workflow"],
  "domain/corpus": ["domain/canonical", "domain/foundation", "domain/ledger"],
  "domain/bundles": [
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/ledger",
    "domain/corpus"
  ],
  "domain/dossiers": [
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/ledger",
    "domain/bundles"
  ],
  "domain/network": ["domain/canonical", "domain/foundation", "domain/evidence"],
  "domain/workflow": ["domain/canonical", "domain/foundation", "domain/ledger"],
  "domain/agents": ["domain/canonical", "domain/foundation", "domain/ledger"],
  "domain/inspection": ["domain/canonical", "domain/history", "domain/ledger"],
  "application/foundation": ["domain/canonical", "domain/foundation", "domain/evidence"],
  "application/ledger": [
    "application/foundation",
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/ledger"
  ],
  "application/history": [
    "application/foundation",
    "application/ledger",
    "domain/canonical",
    "domain/foundation",
    "domain/ledger",
    "domain/history",
    "domain/workflow"
  ],
  "application/agents": [
    "application/foundation",
    "application/ledger",
    "domain/agents",
    "domain/canonical",
    "domain/foundation",
    "domain/ledger"
  ],
  "application/inspection": [
    "application/bundles",
    "application/dossiers",
    "application/foundation",
    "application/ledger",
    "domain/bundles",
    "domain/canonical",
    "domain/dossiers",
    "domain/foundation",
    "domain/evidence",
    "domain/history",
    "domain/inspection",
    "domain/ledger"
  ],
  "application/corpus": [
    "application/foundation",
    "application/ledger",
    "domain/canonical",
    "domain/foundation",
    "domain/ledger",
    "domain/corpus"
  ],
  "application/bundles": [
    "application/foundation",
    "application/ledger",
    "application/corpus",
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/ledger",
    "domain/corpus",
    "domain/bundles"
  ],
  "application/dossiers": [
    "application/foundation",
    "application/ledger",
    "application/bundles",
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/ledger",
    "domain/bundles",
    "domain/dossiers"
  ],
  "application/network": [
    "application/foundation",
    "domain/canonical",
    "domain/foundation",
    "domain/evidence",
    "domain/network"
  ],
  "application/workflow": [
    "application/foundation",
    "application/ledger",
    "domain/canonical",
    "domain/foundation",
    "domain/ledger",
    "domain/history",
    "domain/workflow"
  ]
}

/** The imports that a part of a pure layer may not have. The layers' own entry files export from every part. */
const strayImports = (imports: Imports): ReadonlyArray<string> =>
  [...imports].flatMap(([file, targets]) => {
    if (!/^(?:domain|application)\/[^/]+\//.test(file)) return []
    const below = partsBelow[partOf(file)] ?? []
    return targets
      .filter((target) => partOf(target) !== partOf(file) && !below.includes(partOf(target)))
      .map((target) => `${file} -> ${target}`)
  })

describe("parts", () => {
  it("of the pure layers import those below them alone", () => {
    expect(strayImports(productImports())).toEqual([])
  })

  it("that import another are found, however the import is written", () => {
    for (const text of [
      'import { value } from "../ledger/value.ts"\n',
      'import {\n  value\n} from "../ledger/value.ts"\n',
      'import type { Value } from "../ledger/value.ts"\n',
      'export * from "../ledger/value.ts"\n',
      'import "../ledger/value.ts"\n',
      'const lazy = () => import("../ledger/value.ts")\n',
      'const probe = undefined as import("../ledger/value.ts").Value | undefined\n'
    ]) {
      const probe = "domain/network/probe.ts"
      expect(strayImports(new Map([[probe, importedBy(probe, text)]])), text).toEqual([
        `${probe} -> domain/ledger/value.ts`
      ])
    }
  })
})

/** What helpers of the pure layers' tests import of the layers above. */
const strayHelperImports = (files: ReadonlyArray<readonly [file: string, text: string]>) =>
  files.flatMap(([file, text]) =>
    importedBy(file, text)
      .filter((target) => /^(?:infrastructure|interfaces|migrations)\//.test(target))
      .map((target) => `${file} -> ${target}`)
  )

describe("helpers of the pure layers' tests", () => {
  const helpers = layers
    .filter((layer) => layer === "domain" || layer === "application")
    .flatMap((layer) =>
      readdirSync(join(root, layer), { recursive: true, withFileTypes: true })
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .filter((file) => file.endsWith(".ts") && file.includes("/testing/"))
        .map((file) => [file, readFileSync(join(root, file), "utf8")] as const)
    )

  it("know no database: the ledger in memory is enough", () => {
    expect(helpers.length).toBeGreaterThan(3)
    expect(strayHelperImports(helpers)).toEqual([])
  })

  it("that know one are found", () => {
    const probe = "application/ledger/testing/probe.ts"
    const text = 'import { value } from "../../../infrastructure/ledger/value.ts"\n'
    expect(strayHelperImports([[probe, text]])).toEqual([`${probe} -> infrastructure/ledger/value.ts`])
  })
})

/** Files that import each other, directly or by way of others: each circle as the sorted list of its files. */
const circlesOf = (imports: Imports): ReadonlyArray<ReadonlyArray<string>> => {
  const reached = new Map<string, Set<string>>()
  const from = (file: string): Set<string> => {
    const known = reached.get(file)
    if (known !== undefined) return known
    const all = new Set<string>()
    reached.set(file, all)
    const open = [...(imports.get(file) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (all.has(next)) continue
      all.add(next)
      open.push(...(imports.get(next) ?? []))
    }
    return all
  }
  const circles = new Map<string, ReadonlyArray<string>>()
  for (const file of imports.keys()) {
    if (!from(file).has(file)) continue
    const circle = [...from(file)].filter((other) => from(other).has(file)).sort()
    circles.set(circle[0] ?? file, circle)
  }
  return [...circles.values()]
}

describe("circles", () => {
  it("there are none, imports of types and lazy ones included", () => {
    expect(circlesOf(productImports())).toEqual([])
  })

  it("there are none between the parts of a layer", () => {
    const imports = productImports()
    const parts = new Set([...imports.keys()].map(partOf).filter((part) => !part.endsWith(".ts")))
    const targetsOf = (part: string) =>
      [...imports].flatMap(([file, targets]) =>
        partOf(file) === part ? targets.map(partOf).filter((target) => target !== part) : []
      )
    const between = new Map([...parts].map((part) => [part, targetsOf(part)] as const))
    expect(circlesOf(between)).toEqual([])
  })

  it("are found, over several files and in one", () => {
    const planted: Imports = new Map([
      ["a.ts", ["b.ts"]],
      ["b.ts", ["c.ts", "d.ts"]],
      ["c.ts", ["a.ts"]],
      ["d.ts", []],
      ["e.ts", ["e.ts", "a.ts"]]
    ])
    expect(circlesOf(planted)).toEqual([["a.ts", "b.ts", "c.ts"], ["e.ts"]])
  })
})

/** How many files a folder of a layer may have beside its tests: with more, nothing in it is found by its name. */
const FILES_IN_A_FOLDER = 27

const crowded = (files: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(files, (file) => dirname(file))].flatMap(([folder, inside]) =>
    inside.length > FILES_IN_A_FOLDER ? [`${folder}: ${inside.length}`] : []
  )

describe("folders", () => {
  it("have as many files as one can look through", () => {
    expect(crowded([...productImports().keys()])).toEqual([])
  })

  it("with more are found", () => {
    const files = Array.from({ length: FILES_IN_A_FOLDER + 1 }, (_, index) => `a/${index}.ts`)
    expect(crowded([...files, "b/c.ts"])).toEqual([`a: ${FILES_IN_A_FOLDER + 1}`])
  })
})
