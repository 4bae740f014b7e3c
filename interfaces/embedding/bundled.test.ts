// Programs that a bundler has made one file of, as ES modules and as CommonJS: they run from a folder that has nothing but
// the driver, and know where the programs of their processes are, or say that they do not.
import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Format } from "esbuild"
import { describe, expect, it } from "vitest"
import { cassetteWith } from "../../infrastructure/network/testing/cassettes.ts"
import { PROGRAM_MILLIS } from "../../infrastructure/testing/programs/process-end.ts"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

/** What no bundler takes: the native driver, and in an ES module a package that asks for Node's modules by `require`. */
const EXTERNAL = ["better-sqlite3", "yaml"]

/** Packages as a program names them, and where this repository has them. */
const ALIAS = {
  "cortex-cassette": "./interfaces/embedding/index.ts",
  "cortex-cassette/cassette-child": "./infrastructure/network/children/cassette-child.ts",
  "cortex-cassette/network": "./interfaces/embedding/network.ts"
}

const extensions = { esm: ".mjs", cjs: ".cjs" } as const
const formats = ["esm", "cjs"] as const

/** Bundles a program under a name into a folder and gives its file. */
const bundled = async (
  folder: string,
  name: string,
  contents: string,
  format: Format & keyof typeof extensions
) => {
  const outfile = join(folder, `${name}${extensions[format]}`)
  await build({
    stdin: { contents, loader: "ts", resolveDir: repository },
    absWorkingDir: repository,
    alias: ALIAS,
    bundle: true,
    external: EXTERNAL,
    format,
    logLevel: "error",
    outfile,
    platform: "node"
  })
  return outfile
}

const folderWithPackages = (): string => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, "node_modules"))
  for (const name of EXTERNAL) {
    symlinkSync(realpathSync(join(repository, "node_modules", name)), join(folder, "node_modules", name))
  }
  return folder
}

const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { stderr, stdout } = spawnSync(process.execPath, [program, ...args], {
    cwd: "/",
    encoding: "utf8",
    timeout: PROGRAM_MILLIS
  })
  return { stderr, stdout }
}

/** A program that prints how the one cassette of a network is. */
const ASKING = `
  import * as Effect from "effect/Effect"
  import { Network } from "cortex-cassette/network"
  const [file = "", childProgram] = process.argv.slice(2)
  const asked = Effect.map(Network.use(({ status }) => status), ([health]) => health)
  const run = Effect.provide(asked, Network.layer({ file, childProgram }))
  Effect.runPromise(run).then((health) => process.stdout.write(JSON.stringify(health)))
`

/** A network with one external cassette, which a process of its own reads. */
const networkFile = (folder: string): string => {
  cassetteWith(folder, "docs", { "a/b.md": "text of the hub" })
  const file = join(folder, "network.yaml")
  writeFileSync(
    file,
    'network: {version: "1.0", protocol: SNP}\ncassettes:\n  - {id: docs, path: docs.db, type: external}\n'
  )
  return file
}

describe.each(formats)("a program in one file, %s", (format) => {
  it("has its ledger, also the second time", async () => {
    const folder = folderWithPackages()
    const example = readFileSync(join(repository, "examples", "embedding.ts"), "utf8")
    const program = await bundled(folder, "program", example, format)
    for (const _run of ["first", "second"]) {
      const { stderr, stdout } = run(program, join(folder, "ledger.db"))
      expect(stderr).toBe("")
      expect(stdout).toMatch(/^6 StepCompleted [0-9a-f]{8}\nPASS\n$/m)
    }
  })

  it("reads external cassettes with the program that it is given", async () => {
    const folder = folderWithPackages()
    const program = await bundled(folder, "asking", ASKING, format)
    const child = await bundled(folder, "reader", 'import "cortex-cassette/cassette-child"', format)
    const { stderr, stdout } = run(program, networkFile(folder), child)
    expect(stderr).toBe("")
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", cassette_id: "docs" })
  })

  it("says which option is missing where that program is not found", async () => {
    const folder = folderWithPackages()
    const program = await bundled(folder, "asking", ASKING, format)
    const { stdout } = run(program, networkFile(folder))
    expect(JSON.parse(stdout.split("\n").at(-1) ?? "")).toMatchObject({
      status: "refused",
      reason: expect.stringContaining("childProgram")
    })
  })
})

it("a bundle of ES modules finds that program beside it", async () => {
  const folder = folderWithPackages()
  const program = await bundled(folder, "asking", ASKING, "esm")
  await bundled(folder, "cassette-child", 'import "cortex-cassette/cassette-child"', "esm")
  expect(JSON.parse(run(program, networkFile(folder)).stdout)).toMatchObject({ status: "ok" })
})
