// What the installed package holds, file by file: nothing that only a build needs, and no path of the machine that built it.
import { readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Host, repository } from "./host.ts"

/** What a build leaves and no user needs. */
const LEFT_OVER = /\.(map|tsbuildinfo|tgz|log)$/

/** What of a file may not leave this machine. */
export const leaksOf = (
  path: string,
  text: string,
  machine: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(LEFT_OVER.test(path) ? [`${path} is left over from a build`] : []),
  ...machine.filter((place) => text.includes(place)).map((place) => `${path} names ${place}`)
]

export const tryContents = async ({ folder }: Host): Promise<void> => {
  const installed = join(folder, "node_modules/cortex-cassette")
  const machine = [repository.replace(/\/$/, ""), homedir(), "sourceMappingURL="]
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile()
  )
  const leaks = files
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join(installed, "docs")))
    .flatMap((path) => leaksOf(path.slice(installed.length + 1), readFileSync(path, "latin1"), machine))
  if (leaks.length > 0) throw new Error(leaks.join("\n"))
}
