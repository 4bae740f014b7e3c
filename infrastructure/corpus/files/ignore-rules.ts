// What a walk leaves out before it looks: the folders that are never indexed, and the globs that the caller gives. It decides
// by names alone.
import picomatch from "picomatch"
import { invalidAt, type InvalidInput } from "../../../domain/foundation/errors.ts"

const MAX_GLOB_LENGTH = 4_096

/** True for the program's own folder and for git's: they are never indexed. */
export const isNeverIndexed = (path: string): boolean =>
  path === "CORTEX" || path.startsWith("CORTEX/") || path.split("/").includes(".git")

export type Glob = (path: string) => boolean

/** A matcher of one glob; one without a slash is a name in any folder. A line break is a character as any other. */
export const globMatcher = (pattern: string): Glob =>
  picomatch(pattern, { dot: true, basename: !pattern.includes("/"), nonegate: true, flags: "s" })

/** A folder's path with or without a slash at its end, and a path with or without `./` before it, are one. */
const plain = (pattern: string): string => pattern.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "")

/**
 * A matcher of paths for any of the globs: what matches by itself or lies in a folder that does. A glob without a
 * slash matches names in every folder.
 */
export const globs = (option: string, given: ReadonlyArray<string>): Glob | InvalidInput => {
  const patterns = given.map(plain)
  if (patterns.some((pattern) => pattern === "" || pattern.length > MAX_GLOB_LENGTH)) {
    return invalidAt(option, `a glob has 1 to ${MAX_GLOB_LENGTH} characters`)
  }
  try {
    const matchers = patterns.map((pattern) => globMatcher(pattern))
    const matchesOne: Glob = (path) => matchers.some((matches) => matches(path))
    return (path) => {
      for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
        if (matchesOne(path.slice(0, end))) return true
      }
      return matchesOne(path)
    }
  } catch (error) {
    return invalidAt(option, (error as Error).message)
  }
}
