// Which Node this program needs. The check imports nothing, since on an older Node the database driver does not
// fail but crashes; it must run before anything else is loaded.
const oldest = { major: 22, minor: 19 } as const

/** One sentence for people when `version` (such as `20.11.1`) is too old, else undefined. */
export const nodeVersionFault = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
    ? undefined
    : `cortex needs Node ${oldest.major}.${oldest.minor} or newer and this is Node ${version}: install a newer Node and run the command again.`
}
