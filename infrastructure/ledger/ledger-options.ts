// How a ledger's file is opened: the options, and those that no opening can have. It judges values alone and never
// looks at a disk.
import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Identifier } from "../../domain/canonical/text.ts"
import { InvalidInput } from "../../domain/ledger/errors.ts"
import type { Durability } from "../sqlite/better-sqlite3-host.ts"
import { waitMillis } from "../sqlite/busy-retry.ts"
import { type AccessMode, nameFault, type networkKind } from "../sqlite/file-system.ts"

export interface LedgerFileOptions {
  /** The database file by its path, or `:memory:` for tests. */
  readonly filename: string
  /** `write` (default) creates a missing ledger, `append` needs one, `read` needs one and changes nothing. */
  readonly mode?: AccessMode | undefined
  /** Default `full`: an acknowledged command survives a power cut. */
  readonly durability?: Durability | undefined
  /** The ledger's id: given to a new ledger (default a random UUID), demanded of an existing one. */
  readonly ledgerId?: string | undefined
  /** How long to wait for other writers (default 10 seconds; a number is milliseconds). */
  readonly busyDeadline?: Duration.Input | undefined
  readonly allowNetworkFs?: boolean | undefined
  /** How to find the kind of network file system that a path lies on (default: ask the operating system). */
  readonly networkKind?: typeof networkKind | undefined
}

export const IN_MEMORY = ":memory:"

const isIdentifier = Schema.is(Identifier)

/** The driver crashes the process on an older Node, without a word. */
const isNodeNewEnough = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

const filenameIssue = (filename: unknown): string | undefined =>
  filename === IN_MEMORY ? undefined : nameFault(filename)

/** Options that would make a ledger that never verifies, one that vanishes, or a wait without an end. */
export const optionsFault = (options: LedgerFileOptions): InvalidInput | undefined => {
  const { busyDeadline = 0, durability = "full", filename, ledgerId, mode = "write" } = options
  const nameIssue = filenameIssue(filename)
  const faults: ReadonlyArray<readonly [path: string, wrong: boolean, message: string]> = [
    ["", !isNodeNewEnough(), `SQLite's library needs Node 22.19 or newer, this is ${process.versions.node}`],
    ["/durability", !["full", "normal"].includes(durability), "full or normal"],
    ["/mode", !["write", "append", "read"].includes(mode), "write, append or read"],
    ["/filename", nameIssue !== undefined, nameIssue ?? ""],
    [
      "/ledgerId",
      ledgerId !== undefined && !isIdentifier(ledgerId),
      "1 to 256 bytes of UTF-8 without control characters"
    ],
    ["/busyDeadline", waitMillis(busyDeadline) === undefined, "a duration from 0 on, or milliseconds"]
  ]
  const issues = faults.flatMap(([path, wrong, message]) => (wrong ? [{ path, message }] : []))
  return issues.length === 0
    ? undefined
    : new InvalidInput({
        message: issues.map(({ message, path }) => `${path}: ${message}`).join("; "),
        issues
      })
}
