// What must hold before a version is published, judged from what was read: of the dependencies that users install or that are
// bundled, and of the version itself. Each finding is a sentence.

/** A package as the lockfile and its own folder have it. */
export interface Dependency {
  readonly name: string
  readonly version: string
  /** The checksum of its archive in the lockfile. */
  readonly integrity: string | undefined
  readonly licence: string | undefined
  /** Scripts that a package manager runs when it installs the package. */
  readonly installScripts: ReadonlyArray<string>
  /** Files of native code. */
  readonly nativeFiles: ReadonlyArray<string>
}

/** A version and where it stands. */
export interface Release {
  readonly version: string
  readonly changelog: string
  readonly tags: ReadonlyArray<string>
  /** What differs from the last commit, as `git status` prints it. */
  readonly uncommitted: string
  readonly repository: string | undefined
  /** The versions of direct dependencies, as package.json asks for them. */
  readonly wanted: Readonly<Record<string, string>>
}

/** Licences that let users do what ours does. */
const LICENCES = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0"])

/** Packages that are known to bring native code: they ship it ready, and run nothing to install it. */
const NATIVE = new Set(["better-sqlite3"])

export const dependencyFindings = (dependency: Dependency): ReadonlyArray<string> => {
  const { installScripts, integrity, licence, name, nativeFiles, version } = dependency
  const named = `${name} ${version}`
  return [
    ...(integrity?.startsWith("sha512-") === true ? [] : [`${named} has no SHA-512 in the lockfile`]),
    ...(licence !== undefined && LICENCES.has(licence)
      ? []
      : [`${named} has the licence ${licence ?? "(none)"}, which is not on the list`]),
    ...installScripts.map((script) => `${named} runs a script when it is installed: ${script}`),
    ...(nativeFiles.length > 0 && !NATIVE.has(name) ? [`${named} brings native code: ${nativeFiles[0]}`] : [])
  ]
}

/** The section of a version in the changelog: its heading has the day of the release. */
export const changelogSection = (version: string, changelog: string): string | undefined =>
  changelog
    .split(/^## /m)
    .slice(1)
    .find((section) => section.startsWith(`${version} (`))

export const tagOf = (version: string): string => `v${version}`

export const releaseFindings = (release: Release): ReadonlyArray<string> => {
  const { changelog, repository, tags, uncommitted, version, wanted } = release
  const section = changelogSection(version, changelog)
  const [heading = ""] = section?.split("\n") ?? []
  return [
    ...(uncommitted === "" ? [] : [`the checkout has changes that are not committed:\n${uncommitted}`]),
    ...(section === undefined
      ? [`CHANGELOG.md has no section for ${version}: its heading must be "## ${version} (YYYY-MM-DD)"`]
      : []),
    ...(section !== undefined && !/^\S+ \(\d{4}-\d\d-\d\d\)$/.test(heading)
      ? [`CHANGELOG.md has "## ${heading}": write the day of the release in its place`]
      : []),
    ...(tags.includes(tagOf(version)) ? [`the tag ${tagOf(version)} exists: raise the version`] : []),
    ...(repository === undefined
      ? ["package.json names no repository, which the registry compares with the provenance"]
      : []),
    ...Object.entries(wanted)
      .filter(([, range]) => !/^\d+\.\d+\.\d+$/.test(range))
      .map(([name, range]) => `package.json asks for ${name} ${range}, which is not one version`)
  ]
}
