// The licences of the packages that a bundle has inside: they go with it in one file, and a bundle whose packages are not those of
// its list is refused.
import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import type { Plugin } from "rolldown"

/** The packages whose code is in a bundle, by the package that brings them (`.`: this one). */
export type Bundled = { readonly ".": ReadonlyArray<string> } & Readonly<
  Record<string, ReadonlyArray<string>>
>

const licenceOf = (by: string, name: string): string => {
  // What a package brings stands beside it, where the package really is.
  const folder =
    by === "." ? "node_modules" : realpathSync(`node_modules/${by}`).replace(/\/(@[^/]+\/)?[^/]+$/, "")
  const file = readdirSync(join(folder, name)).find((entry) => /^LICEN[CS]E/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no licence file`)
  return `${name}\n\n${readFileSync(join(folder, name, file), "utf8")}`
}

/** The packages that modules of the bundle come from. */
export const packagesOf = (modules: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(modules.flatMap((id) => /.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/.exec(id)?.[1] ?? []))

/** Refuses a bundle whose packages are not those of the list: a licence would be missing, or one too many. */
const checkLicences = (bundled: Bundled, modules: ReadonlyArray<string>): void => {
  const packages = packagesOf(modules)
  const listed = new Set(Object.values(bundled).flat())
  const faults = [
    ...[...packages]
      .filter((name) => !listed.has(name))
      .map((name) => `${name} is bundled and not in the list of licences`),
    ...[...listed]
      .filter((name) => !packages.has(name))
      .map((name) => `${name} is in the list of licences and not bundled`)
  ]
  if (faults.length > 0) throw new Error(faults.join("\n"))
}

/** Writes the licences of a bundle's packages beside it. */
export const thirdPartyLicences = (bundled: Bundled): Plugin => ({
  name: "third-party-licences",
  generateBundle(_, files) {
    checkLicences(
      bundled,
      Object.values(files).flatMap((file) => (file.type === "chunk" ? file.moduleIds : []))
    )
    if (Object.values(bundled).flat().length === 0) return
    const licences = Object.entries(bundled)
      .flatMap(([by, names]) => names.map((name) => licenceOf(by, name)))
      .join(`\n${"-".repeat(72)}\n\n`)
    this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENCES.txt", source: licences })
  }
})
