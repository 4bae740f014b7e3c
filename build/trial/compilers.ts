// The declarations of every entry point, checked whole by the compilers that users have, in the ways in which they resolve packages.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { entries, FOR_WORKERS, type Host, repository, run } from "./host.ts"

/** Those for the platform of Durable Objects or for a kit of agents need its types, which a program without it does not have. */
const imported = entries.filter((name) => name !== FOR_WORKERS && !name.startsWith("cortex-cassette/agents/"))

const importing = (line: (name: string, index: number) => string): string =>
  [
    ...imported.map(line),
    `export const all: ReadonlyArray<object> = [${imported.map((_, index) => `m${index}`).join(", ")}]`,
    ""
  ].join("\n")

const checked = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true }
const shared = { ...checked, target: "es2024", types: ["node"] }

const SETTINGS = {
  nodenext: { compilerOptions: { ...shared, module: "nodenext" }, files: ["all.ts", "all.cts"] },
  bundler: {
    compilerOptions: { ...shared, module: "preserve", moduleResolution: "bundler" },
    files: ["all.ts"]
  }
}

export const prepareCompiling = ({ folder }: Host): void => {
  writeFileSync(
    join(folder, "all.ts"),
    importing((name, index) => `import * as m${index} from "${name}"`)
  )
  writeFileSync(
    join(folder, "all.cts"),
    importing((name, index) => `import m${index} = require("${name}")`)
  )
  for (const [name, settings] of Object.entries(SETTINGS)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(settings))
  }
}

const compilers = (host: Host) => ({
  "TypeScript 5.9": host.tool("typescript-5/lib/tsc.js"),
  "TypeScript 7": join(repository, "node_modules/typescript/bin/tsc")
})

/** What is tried of compilers, by what it is called. */
export const compilerSteps = (host: Host): ReadonlyArray<readonly [string, () => Promise<void>]> => [
  ...Object.entries(compilers(host)).flatMap(([compiler, program]) =>
    Object.keys(SETTINGS).map(
      (settings) =>
        [
          `every entry point, ${compiler}, ${settings}`,
          async () => {
            await run(host.folder, process.execPath, program, "--project", `${settings}.json`)
          }
        ] as const
    )
  ),
  [
    "are the types wrong",
    async () => {
      const attw = host.tool("@arethetypeswrong/cli/dist/index.js")
      await run(host.folder, process.execPath, attw, host.tarball, "--profile", "esm-only", "--no-color")
    }
  ]
]
