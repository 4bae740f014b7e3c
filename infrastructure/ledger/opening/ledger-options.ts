// How a ledger's file is opened: the options, and their judgement. It judges values alone and never looks at a disk.
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { decodeInput } from "../../../application/foundation/input.ts"
import { Identifier } from "../../../domain/canonical/text.ts"
import type { Durability } from "../../sqlite/connection/better-sqlite3-host.ts"
import { Filename, fileOptions } from "../../sqlite/files/file-options.ts"
import type { AccessMode } from "../../sqlite/files/database-path.ts"
import type { networkKind } from "../../files/file-system.ts"

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

/** How a ledger's file is opened. */
export interface SqliteLedgerOptions extends LedgerFileOptions {
  /**
   * `recent` (default) checks the schema and the last thousand events at opening; `full` verifies everything
   * that does not depend on a clock. What is found closes the ledger for writing.
   */
  readonly verifyOnOpen?: "recent" | "full" | undefined
}

export const IN_MEMORY = ":memory:"

const isNetworkKind = (value: unknown): value is typeof networkKind => typeof value === "function"

/** The options of a ledger on SQLite, field by field: every option has its field here, or this does not compile. */
export const sqliteLedgerFields = {
  ...fileOptions,
  filename: Schema.Union([Schema.Literal(IN_MEMORY), Filename]),
  durability: Schema.optional(Schema.Literals(["full", "normal"])),
  ledgerId: Schema.optional(Identifier),
  networkKind: Schema.optional(Schema.declare(isNetworkKind, { expected: "a function of a path" })),
  verifyOnOpen: Schema.optional(Schema.Literals(["recent", "full"]))
} satisfies Record<keyof SqliteLedgerOptions, Schema.Top>

/** Refuses options that would make a ledger that never verifies, one that vanishes, or a wait without an end. */
export const decodeLedgerOptions = decodeInput(Schema.Struct(sqliteLedgerFields), Result.succeed)
