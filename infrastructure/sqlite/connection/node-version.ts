// Which Node SQLite's driver needs. On an older one it does not fail but ends the process without a word, so this is
// judged before anything of it is loaded; therefore it imports nothing.

/** The oldest Node that will do. */
export const OLDEST_NODE = "22.19"

/** True for a version of Node (such as `24.1.0`) that will do. */
export const isNodeSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split(".").map(Number)
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
}
