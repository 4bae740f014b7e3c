/**
 * What no linter knows: domain and application use the stable parts of effect alone and neither clock, chance nor
 * process, files stay small and begin with a comment, and nothing is left of drafts. Words that must not stand
 * anywhere are written backwards here, so that this file passes its own test.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = dirname(fileURLToPath(import.meta.url))

const folders = [
  ".ci",
  "application",
  "bench",
  "build",
  "docs",
  "domain",
  "examples",
  "infrastructure",
  "interfaces",
  "migrations",
  "property-tests",
  "storm"
]

const isText = (name: string): boolean => /\.(ts|md|json|sql|yaml)$/.test(name) || name.startsWith(".ci/")

/** Every text of the repository by its path; what is installed, built or generated is none of it. */
const files: ReadonlyArray<string> = [
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "pnpm-lock.yaml")
    .map(({ name }) => name),
  ...folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    )
].filter(isText)

const textOf = (file: string): string => readFileSync(join(root, file), "utf8")

const isTest = (file: string): boolean =>
  /\.(test|prop)\.ts$|\/testing\//.test(file) || file.startsWith("property-tests/")

const code = files.filter((file) => file.endsWith(".ts"))
const product = code.filter((file) => !isTest(file))
const pure = product.filter((file) => /^(domain|application)\//.test(file))

/** The lines of these files that match, as `file:line`. */
const linesWith = (among: ReadonlyArray<string>, pattern: RegExp): ReadonlyArray<string> =>
  among.flatMap((file) =>
    textOf(file)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : []))
  )

const backwards = (text: string): string => [...text].toReversed().join("")

/** A pattern of whole words that are given backwards. */
const words = (...reversed: ReadonlyArray<string>) => String.raw`\b(${reversed.map(backwards).join("|")})\b`

describe("the pure layers", () => {
  /** The modules of effect that domain may use, and those that application may use beside them. */
  const domainModules = ["Option", "Result", "Schema", "SchemaIssue"]
  const applicationModules = [
    ...domainModules,
    "Cause",
    "Clock",
    "Context",
    "Deferred",
    "Duration",
    "Effect",
    "Exit",
    "Fiber",
    "Layer",
    "Metric",
    "Queue",
    "Scope",
    "Semaphore",
    "Stream",
    "Tracer"
  ]

  /** What Effect calls unstable, and which part carries it all the same: the contract that the part fulfils. */
  const contracts: Readonly<Record<string, string>> = {
    "persistence/PersistedQueue": "application/workflow/",
    "workflow/Activity": "application/workflow/",
    "workflow/DurableClock": "application/workflow/",
    "workflow/Workflow": "application/workflow/",
    "workflow/WorkflowEngine": "application/workflow/"
  }
  const isContractOf = (file: string, module: string): boolean => file.startsWith(contracts[module] ?? "/")

  const importsOf = (text: string) =>
    [...text.matchAll(/import (?:type )?\* as (\w+) from "effect\/([\w/]+)"/g)].map(([, name, module]) => ({
      name: name ?? "",
      module: module ?? ""
    }))

  const sourceOf = (module: string): string =>
    readFileSync(join(root, "node_modules", "effect", "src", `${module}.ts`), "utf8")

  /** The stability tags of everything that a module exports under a name. */
  const stabilityOf = (module: string, member: string): ReadonlyArray<string> => {
    const source = sourceOf(module)
    const word = member.replaceAll("$", String.raw`\$`)
    const exported = new RegExp(
      String.raw`export (?:declare )?(?:abstract )?(?:const|let|function|class|interface|type|namespace) ${word}\b|\w+ as ${word}\b|^  ${word},?$`,
      "gm"
    )
    return [...source.matchAll(exported)].flatMap(({ index }) => {
      const before = source.slice(0, index)
      const end = before.lastIndexOf("*/")
      const between = before.slice(end + 2).trim()
      if (end === -1 || !["", "export {"].includes(between)) return []
      return /@stability (\w+)/.exec(before.slice(before.lastIndexOf("/**", end)))?.[1] ?? []
    })
  }

  it("knows stable from unstable", () => {
    expect(stabilityOf("Effect", "gen")).toContain("stable")
    expect(stabilityOf("Effect", "catch")).toEqual(["stable"])
    expect(stabilityOf("Graph", "directed")).toContain("unstable")
    expect(stabilityOf("Effect", "noSuchMember")).toEqual([])
  })

  it("import only modules of effect from the lists, each by its own name", () => {
    for (const file of pure) {
      const list = file.startsWith("domain/") ? domainModules : applicationModules
      const text = textOf(file)
      const mentions = [...text.matchAll(/from "(@?effect(?:\/[^"]*)?)"/g)].map(([, specifier]) => specifier)
      const imports = importsOf(text)
      expect(
        mentions.filter((specifier) => !imports.some(({ module }) => specifier === `effect/${module}`)),
        file
      ).toEqual([])
      expect(
        imports
          .map(({ module }) => module)
          .filter((module) => !list.includes(module) && !isContractOf(file, module)),
        file
      ).toEqual([])
    }
  })

  it("use only what effect calls stable", () => {
    const used = new Map<string, readonly [module: string, member: string]>()
    for (const file of pure) {
      const text = textOf(file)
      for (const { module, name } of importsOf(text)) {
        if (isContractOf(file, module)) continue
        for (const [, member = ""] of text.matchAll(new RegExp(String.raw`(?<![\w.])${name}\.(\w+)`, "g"))) {
          used.set(`${module}.${member}`, [module, member])
        }
      }
    }
    const unstable = [...used].flatMap(([name, [module, member]]) => {
      const tags = stabilityOf(module, member)
      return tags.length > 0 && tags.every((tag) => tag === "stable")
        ? []
        : [`${name} is ${tags.join(", ") || "untagged"}`]
    })
    expect(unstable).toEqual([])
    expect(used.size).toBeGreaterThan(50)
  })

  it("have no clock, no chance, no process and no timers", () => {
    const forbidden =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bglobalThis\b|\bsetTimeout\(|\bsetInterval\(|\bperformance\./
    expect(linesWith(pure, forbidden)).toEqual([])
  })
})

describe("files", () => {
  const MAX_LINES = 500

  it(`outside tests have fewer than ${MAX_LINES} lines`, () => {
    expect(product.filter((file) => textOf(file).split("\n").length > MAX_LINES)).toEqual([])
  })

  it("begin with a comment that says what they are", () => {
    const opening = /^(#!.*\n)?(\/\/ |\/\*\*)/
    expect(code.filter((file) => !opening.test(textOf(file)))).toEqual([])
  })

  it("have names in kebab case that say what is in them", () => {
    const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.ts$/
    const empty = /(^|\/)(utils?|helpers?|managers?|common|misc)\b/
    expect(code.filter((file) => !name.test(file.split("/").at(-1) ?? "") || empty.test(file))).toEqual([])
  })
})

describe("what is left of drafts", () => {
  it("no marker for work to be done", () => {
    expect(linesWith(files, new RegExp(words("ODOT", "EMXIF", ["X", "X", "X"].join(""))))).toEqual([])
  })

  it("no word of the documents that came before", () => {
    // What any ledger must keep is called so where it is tried, and where users are told of it.
    const withLaws =
      /^(interfaces\/test-kit|property-tests)\/|^docs\/(guides|decisions)\/testing\.md$|^docs\/(api|reference)\/|^CHANGELOG\.md$/
    expect(
      linesWith(
        files.filter((file) => !withLaws.test(file)),
        new RegExp(words("wal", "swal"), "i")
      )
    ).toEqual([])
    // Where there is chance, the other word is the start of a random sequence.
    const withChance =
      /^(property-tests|bench|storm|\.ci|interfaces\/test-kit)\/|\.test\.ts$|^docs\/(guides\/(testing|own-ports)\.md$|api\/)/
    const others = files.filter((file) => !withChance.test(file))
    expect(linesWith(others, new RegExp(words("dees", "sdees"), "i"))).toEqual([])
  })

  it("no issue numbers and no paths of one machine", () => {
    expect(linesWith(files, /(^|[\s(])#\d+\b|\b(issue|ticket|PR) #?\d+\b/i)).toEqual([])
    expect(linesWith(files, /(^|[\s"'`(])\/(work|home|Users|root)\//)).toEqual([])
  })
})

describe("plain English", () => {
  const documents = files.filter(
    (file) =>
      /^(README|ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/.*\.md$/.test(file) && !file.startsWith("docs/spec/")
  )

  /** The sentences of a document's prose: code, tables and headings are none. */
  const sentencesOf = (text: string): ReadonlyArray<string> =>
    text
      .replaceAll(/^```[^]*?^```/gm, "")
      .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
      .filter((paragraph) => !/^\s*(#|\||Where: )/.test(paragraph))
      .flatMap((paragraph) => paragraph.replaceAll(/\s+/g, " ").split(/(?<=[.!?:;]["')*`]*) /))

  it("has no riddles and no old words", () => {
    expect(documents.length).toBeGreaterThan(8)
    const riddles = words("reveohw", "revetahw", "wena", "reve rof", "tsel", "ydobon", "ydobemos")
    expect(linesWith(documents, new RegExp(riddles, "i"))).toEqual([])
  })

  it("has no old words in code, specifications and the changelog either", () => {
    expect(linesWith(files, new RegExp(words("reveohw", "wena", "reve rof", "tsel"), "i"))).toEqual([])
  })

  it("says in comments, specifications and the changelog who and what is meant", () => {
    const vague = words("revetahw", "ydobon", "ydobemos")
    const texts = files.filter((file) => file.endsWith(".md"))
    expect(linesWith(texts, new RegExp(vague, "i"))).toEqual([])
    expect(linesWith(code, new RegExp(String.raw`(^|\s)(//|/?\*).*${vague}`, "i"))).toEqual([])
  })

  it("has sentences of at most 40 words", () => {
    const long = documents.flatMap((file) =>
      sentencesOf(textOf(file))
        .filter((sentence) => sentence.split(" ").length > 40)
        .map((sentence) => `${file}: ${sentence}`)
    )
    expect(long).toEqual([])
  })
})
