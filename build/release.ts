// `pnpm run release:check`: builds, packs, and says what would be published and what stands against it. It publishes nothing. `--out
// DIR` keeps the packed file there, for the workflow that publishes it.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { bundled } from "./binary.config.ts"
import { closure, dependencyOf, readLockfile } from "./dependencies.ts"
import {
  changelogSection,
  dependencyFindings,
  type Release,
  releaseFindings,
  tagOf
} from "./release-rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const printed = (command: string, ...given: ReadonlyArray<string>): string =>
  execFileSync(command, given, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

interface Manifest {
  readonly name: string
  readonly version: string
  readonly repository?: { readonly url: string } | undefined
  readonly dependencies: Readonly<Record<string, string>>
}

interface Packed {
  readonly filename: string
  readonly integrity: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

const releaseNow = (): Release => ({
  version: manifest.version,
  changelog: readFileSync(join(root, "CHANGELOG.md"), "utf8"),
  tags: printed("git", "tag").split("\n"),
  uncommitted: printed("git", "status", "--porcelain").trimEnd(),
  repository: manifest.repository?.url,
  wanted: manifest.dependencies
})

/** Builds and packs into a folder. */
const pack = (folder: string): Packed => {
  mkdirSync(folder, { recursive: true })
  printed(process.execPath, "--run", "build")
  const told = printed("npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder)
  const [packed] = JSON.parse(told) as readonly [Packed]
  return packed
}

/** The files below each folder of the package, as lines. */
const filesOf = ({ files }: Packed): ReadonlyArray<string> => {
  const groups = Map.groupBy(files, ({ path }) => path.split("/").slice(0, 2).join("/"))
  return [...groups].map(([name, each]) => {
    const bytes = each.reduce((sum, { size }) => sum + size, 0)
    return `  ${String(each.length).padStart(4)} files ${String(bytes).padStart(9)} bytes  ${name}`
  })
}

const main = (): number => {
  const { values } = parseArgs({ options: { out: { type: "string" } } })
  const release = releaseNow()
  const lockfile = readLockfile(join(root, "pnpm-lock.yaml"))
  const dependencies = closure(lockfile, Object.values(bundled).flat()).map((id) =>
    dependencyOf(root, lockfile, id)
  )
  const packed = pack(resolve(values.out ?? mkdtempSync(join(tmpdir(), "cassette-release-"))))

  console.log(`${manifest.name} ${manifest.version}, tag ${tagOf(manifest.version)}\n`)
  console.log(
    `${packed.filename}: ${packed.size} bytes, ${packed.unpackedSize} unpacked\n${packed.integrity}`
  )
  console.log(filesOf(packed).join("\n"))
  console.log(`\n${dependencies.length} packages are installed with it or bundled:`)
  for (const { licence, name, nativeFiles, version } of dependencies) {
    const native = nativeFiles.length === 0 ? "" : `, ${nativeFiles.length} files of native code`
    console.log(`  ${name} ${version}, ${licence}${native}`)
  }
  console.log(`\n## ${changelogSection(manifest.version, release.changelog)?.trimEnd() ?? "(no section)"}\n`)

  const findings = [...releaseFindings(release), ...dependencies.flatMap(dependencyFindings)]
  for (const finding of findings) console.error(`refused: ${finding}`)
  console.log(findings.length === 0 ? "Nothing stands against publishing it." : "It must not be published.")
  return findings.length === 0 ? 0 : 1
}

process.exitCode = main()
