// The expansions of a JSON lines file and where they stand: an index in memory by the full key, which follows the file
// as other processes add to it. A line that is not exactly the canonical text of an expansion, or that has the key of
// another, ends all reading with an error that names the line. Members are synchronous and throw.
import { closeSync, lstatSync } from "node:fs"
import * as Result from "effect/Result"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { parseCanonicalJson } from "../../../domain/canonical/stored-json.ts"
import { asExpansion, type ExpansionFault } from "../../../domain/corpus/expansion-check.ts"
import { CacheDamaged, DuplicateExpansion, NotACache } from "../../../domain/corpus/expansion-errors.ts"
import { type Expansion, type ExpansionKey, keyText, payloadFault } from "../../../domain/corpus/expansion.ts"
import { MAX_SLICE_BYTES } from "../../../domain/corpus/limits.ts"
import { sha256 } from "../../hashing/node-hashing.ts"
import { linesFrom, openLines, readRange } from "../../files/json-lines.ts"
import { makeRecentExpansions, type RecentExpansions } from "./recent-expansions.ts"

/** Longest line: a largest payload of control characters alone, each written as six bytes, and the other fields. */
export const MAX_LINE_BYTES = 6 * MAX_SLICE_BYTES + 65_536

/** One expansion's place in the file. */
interface LinePlace {
  readonly offset: number
  readonly length: number
  /** Numbered from 1. */
  readonly line: number
  readonly bytes_expanded: number
}

/** The file as far as it was read. */
interface OpenedLines {
  readonly descriptor: number
  /** Tells this file from another that was put in its place. */
  readonly inode: number
  position: number
  lines: number
  readonly places: Map<string, LinePlace>
  readonly recent: RecentExpansions
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** The expansion that a line holds, or what is wrong with the line. */
export const expansionOfLine = (bytes: Uint8Array): Result.Result<Expansion, ExpansionFault> => {
  const text = bytes.length > MAX_LINE_BYTES ? undefined : textOf(bytes)
  const value = text === undefined ? undefined : parseCanonicalJson(text)
  return value === undefined
    ? Result.fail({ code: "LINE_MALFORMED", message: "it is not canonical JSON (jcs/1)" })
    : asExpansion(value)
}

export const lineOfExpansion = (expansion: Expansion): string => jcsText({ ...expansion })

/** The inode and size of a cache file; undefined when it is not there. Throws `NotACache` for anything but a file. */
export const lookAt = (file: string): { readonly ino: number; readonly size: number } | undefined => {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined || stat.isFile()) return stat
  const reason = stat.isSymbolicLink() ? "it is a link" : "it is a folder or a device"
  throw new NotACache({ file, reason })
}

export interface JsonlRecords {
  /** Reads what was added since; gives how many bytes follow the last line. */
  readonly refresh: () => number
  /** The number of the line after the last one. */
  readonly nextLine: () => number
  readonly find: (key: ExpansionKey) => Expansion | undefined
  readonly entries: () => Iterable<readonly [key: string, LinePlace]>
  readonly close: () => void
}

/** The records of a file that need not be there. */
export const makeJsonlRecords = (file: string): JsonlRecords => {
  let reading: OpenedLines | undefined

  const close = () => {
    if (reading !== undefined) closeSync(reading.descriptor)
    reading = undefined
  }

  const damaged = (line: number, reason: string) => new CacheDamaged({ file, line, reason })

  const take = (into: OpenedLines, offset: number, bytes: Uint8Array) => {
    const line = into.lines + 1
    const expansion = expansionOfLine(bytes)
    if (Result.isFailure(expansion)) throw damaged(line, expansion.failure.message)
    const key = keyText(expansion.success)
    const first = into.places.get(key)
    if (first !== undefined) throw new DuplicateExpansion({ file, line, first_line: first.line })
    const { bytes_expanded } = expansion.success
    into.places.set(key, { offset, length: bytes.length, line, bytes_expanded })
    into.lines = line
    into.position = offset + bytes.length + 1
  }

  /** The file as far as it was read, or nothing when it holds nothing more. */
  const grown = (): OpenedLines | undefined => {
    const stat = lookAt(file)
    const isOther = reading !== undefined && (reading.inode !== stat?.ino || reading.position > stat.size)
    if (isOther) close()
    if (stat === undefined) return undefined
    reading ??= {
      descriptor: openLines(file, "read"),
      inode: stat.ino,
      position: 0,
      lines: 0,
      places: new Map(),
      recent: makeRecentExpansions()
    }
    return stat.size === reading.position ? undefined : reading
  }

  const refresh = (): number => {
    const into = grown()
    if (into === undefined) return 0
    for (const { bytes, ended, offset } of linesFrom(into.descriptor, into.position, MAX_LINE_BYTES)) {
      if (ended) take(into, offset, bytes)
      else if (bytes.length > MAX_LINE_BYTES) {
        throw damaged(into.lines + 1, "it is longer than any expansion")
      } else return bytes.length
    }
    return 0
  }

  const read = ({ descriptor }: OpenedLines, place: LinePlace, key: ExpansionKey): Expansion => {
    const expansion = expansionOfLine(readRange(descriptor, place.offset, place.length))
    if (Result.isFailure(expansion)) throw damaged(place.line, expansion.failure.message)
    const message = payloadFault(sha256, expansion.success)
    if (message !== undefined) throw damaged(place.line, message)
    if (keyText(expansion.success) !== keyText(key)) {
      throw damaged(place.line, "it was another expansion before")
    }
    return expansion.success
  }

  const find = (key: ExpansionKey): Expansion | undefined => {
    const place = reading?.places.get(keyText(key))
    if (reading === undefined || place === undefined) return undefined
    const known = reading.recent.find(key)
    if (known !== undefined) return known
    const expansion = read(reading, place, key)
    reading.recent.keep(expansion)
    return expansion
  }

  return {
    refresh,
    nextLine: () => (reading?.lines ?? 0) + 1,
    find,
    entries: () => reading?.places ?? [],
    close
  }
}
