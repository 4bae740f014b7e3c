// What the installed package holds, file by file: nothing that only a build needs, and no path of the machine that built it.
import { readdirSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Host, repository } from "./host.ts"

/** What a build leaves and no user needs. */
const LEFT_OVER = /\.(map|tsbuildinfo|tgz|log)$/

/** True where a text names something below a folder, and not only a relative path that ends alike. */
const isNamed = (text: string, folder: string): boolean =>
  text
    .split(`${folder}/`)
    .slice(0, -1)
    .some((before) => !/[\w.@/-]$/.test(before))

/** What of a file may not leave this machine: what is below these folders of it, maps of sources, and what a build leaves. */
export const leaksOf = (
  path: string,
  text: string,
  folders: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...(LEFT_OVER.test(path) ? [`${path} is left over from a build`] : []),
  ...(text.includes("sourceMappingURL=") ? [`${path} leads to a map of sources`] : []),
  ...folders.filter((folder) => isNamed(text, folder)).map((folder) => `${path} names ${folder}`)
]

export const tryContents = async ({ folder }: Host): Promise<void> => {
  const installed = join(folder, "node_modules/cortex-cassette")
  const machine = [repository.replace(/\/$/, ""), homedir()]
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile()
  )
  const leaks = files
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => !path.startsWith(join(installed, "docs")))
    .flatMap((path) => leaksOf(path.slice(installed.length + 1), readFileSync(path, "latin1"), machine))
  if (leaks.length > 0) throw new Error(leaks.join("\n"))
}
