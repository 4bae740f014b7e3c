// A fresh checkout of this repository for tests: what is tracked or would be, under Git, with the packages of the real
// one. What a test leaves there shows in Git's status, as it would for a reader who follows the README.
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../..", import.meta.url))

const git = (folder: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
    cwd: folder,
    encoding: "utf8"
  })

/** What is installed, built, kept by a run at the root, or Git's own. */
const LEFT_OUT = new Set([".git", ".tsbuild", "dist", "node_modules"])
const ROOT_LEFT_OUT = join(repository, "CORTEX")

/** Makes the checkout in a folder that is not there yet. */
export const makeCheckout = (folder: string): void => {
  cpSync(repository, folder, {
    recursive: true,
    filter: (path) => !LEFT_OUT.has(basename(path)) && path !== ROOT_LEFT_OUT
  })
  git(folder, "init", "-q")
  git(folder, "add", "--all")
  git(folder, "commit", "-q", "-m", "checkout")
}

/** Links the packages that are installed in the real checkout; what is cached is not shared. */
export const installPackages = (folder: string): void => {
  const packages = join(repository, "node_modules")
  mkdirSync(join(folder, "node_modules"))
  for (const name of readdirSync(packages)) {
    if (name !== ".cache") symlinkSync(join(packages, name), join(folder, "node_modules", name))
  }
}

/** What Git sees that was not there before, a line for each. */
export const changesIn = (folder: string): string => git(folder, "status", "--porcelain")
