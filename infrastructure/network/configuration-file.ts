// Reads the configuration of a network: YAML by the `yaml` package, decoded strictly, every issue with the line that it
// is about. It only reads; defaults and the meaning of paths are decided elsewhere.
import { readFileSync, statSync } from "node:fs"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isNode, LineCounter, parseDocument } from "yaml"
import type { Document } from "yaml"
import { plainIssues } from "../../domain/canonical/plain-issues.ts"
import { NetworkConfiguration } from "../../domain/network/configuration.ts"
import { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"

/** Largest configuration (bytes). */
const MAX_CONFIGURATION_BYTES = 1_048_576

/** Most values that aliases may stand for. */
const MAX_ALIASES = 100

const decode = Schema.decodeUnknownResult(NetworkConfiguration, { onExcessProperty: "error", errors: "all" })

interface Issue {
  readonly line: number
  readonly path: string
  readonly message: string
}

const shown = (path: ReadonlyArray<string | number>): string =>
  path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./, "")

/** The line of the value at a path, or of the nearest one around it that is there. */
const lineOf = (document: Document, lines: LineCounter, path: ReadonlyArray<string | number>): number => {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
  }
  return 1
}

const duplicates = (configuration: NetworkConfiguration): ReadonlyArray<ReadonlyArray<string | number>> => {
  const seen = new Set<string>()
  return configuration.cassettes.flatMap(({ id }, index) => {
    if (seen.has(id)) return [["cassettes", index, "id"]]
    seen.add(id)
    return []
  })
}

/** Decodes the text of a configuration; `file` is named in errors. */
export const decodeConfiguration = (
  file: string,
  text: string
): Result.Result<NetworkConfiguration, InvalidConfiguration> => {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true })
  const refused = (issues: ReadonlyArray<Issue>) => Result.fail(new InvalidConfiguration({ file, issues }))
  if (document.errors.length > 0) {
    return refused(
      document.errors.map(({ message, pos }) => ({
        line: lines.linePos(pos[0]).line,
        path: "",
        message: message.split("\n")[0] ?? message
      }))
    )
  }
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    return refused([{ line: 1, path: "", message: (error as Error).message }])
  }
  const decoded = decode(value)
  if (Result.isFailure(decoded)) {
    return refused(
      plainIssues(decoded.failure.issue).map(({ message, path }) => ({
        line: lineOf(document, lines, path),
        path: shown(path),
        message
      }))
    )
  }
  const [twice] = duplicates(decoded.success)
  return twice === undefined
    ? Result.succeed(decoded.success)
    : refused([
        { line: lineOf(document, lines, twice), path: shown(twice), message: "this id is given twice" }
      ])
}

/** Reads and decodes a configuration file. */
export const readConfiguration = (
  file: string
): Result.Result<NetworkConfiguration, ConfigurationMissing | InvalidConfiguration> => {
  const unreadable = (message: string) =>
    Result.fail(new InvalidConfiguration({ file, issues: [{ line: 1, path: "", message }] }))
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return Result.fail(new ConfigurationMissing({ file }))
  if (!found.isFile()) return unreadable("it is no file")
  if (found.size > MAX_CONFIGURATION_BYTES) return unreadable(`it has over ${MAX_CONFIGURATION_BYTES} bytes`)
  try {
    return decodeConfiguration(file, new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)))
  } catch (error) {
    return unreadable(error instanceof TypeError ? "it is no UTF-8" : (error as Error).message)
  }
}
