// What keeping cassettes comes to: one report for each cassette and task, as the service, the command line and MCP tell it.
import type { SkipReason } from "../../../domain/foundation/root-files.ts"
import type { BirthDifference } from "../../../domain/network/birth.ts"
import type { CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"
import type { CassetteFinding, CassetteReport } from "../../../domain/network/verification.ts"

/** What indexing one cassette came to. */
export interface IndexReport {
  readonly cassette_id: string
  readonly added: number
  readonly replaced: number
  readonly unchanged: number
  readonly removed: number
  /** Paths that the cassette's mutability does not let change. */
  readonly refused: ReadonlyArray<string>
  readonly skipped: ReadonlyArray<{ readonly path: string; readonly reason: SkipReason | "EXPIRED" }>
  /** Sources of the configuration that match no file. */
  readonly unmatched: ReadonlyArray<string>
  /** Paths that no source has and that stay all the same, since a source that matches nothing may be mistyped. */
  readonly withheld: ReadonlyArray<string>
  /** Texts that were given a vector. */
  readonly embedded: number
  readonly took_ms: number
}

/** What making the indexes of a cassette again came to. */
export interface ReindexReport {
  readonly cassette_id: string
  readonly chunks: number
  /** Texts that were given a vector. */
  readonly embedded: number
}

/** What removing what has expired came to. */
export interface SweepReport {
  readonly cassette_id: string
  /** Paths of the documents that went. */
  readonly removed: ReadonlyArray<string>
}

/** What was carried into a file that is as the configuration asks. */
export interface CarryingReport {
  readonly cassette_id: string
  readonly differences: ReadonlyArray<BirthDifference>
  readonly documents: number
  readonly memories: number
  readonly saves: number
  /** Records of the old file that are not in the new one: older versions, and what had expired. */
  readonly left_behind: number
  /** The newest receipt of the old file, which a receipt of the new one names. */
  readonly carried_from: string
  /** Where the old file stands now. */
  readonly kept: string
}

/** What one cassette is found to be; a file whose pages cannot be read has no facts. */
export interface VerifiedCassette {
  readonly findings: ReadonlyArray<CassetteFinding>
  readonly warnings: ReadonlyArray<string>
  readonly facts: CassetteReport["cassettes"][number] | undefined
}

/** What an export made. */
export interface ExportReport {
  /** False when the same stood there, byte for byte. */
  readonly created: boolean
  readonly manifest: CartridgeManifest
}

/** What an import made. */
export interface ImportReport {
  readonly manifest: CartridgeManifest
  readonly chunks: number
  /** Texts that were given a vector. */
  readonly embedded: number
}
