// The port to the files of a network: what the configuration says of each cassette, and the work on one of them. Which cassettes
// a task may touch, in which order and what becomes of a refusal is decided by `CassetteKeeping`.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { TargetExists } from "../../../domain/foundation/root-files.ts"
import type { FileUnreadable, NotAFile, PathOutsideRoot } from "../../../domain/foundation/root-files.ts"
import type { InvalidInput } from "../../../domain/foundation/errors.ts"
import type { ReadOnlyStore, StorageFailure, StorageFull } from "../../../domain/foundation/storage-errors.ts"
import type { AskedBirth } from "../../../domain/network/birth.ts"
import type { CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"
import type { Mutability } from "../../../domain/network/cassette.ts"
import type {
  CartridgeRefused,
  CassetteDamaged,
  CassetteFileExists,
  CassetteOffline,
  ConfigurationMissing,
  EmbedderFailed,
  EmbedderMismatch,
  InvalidConfiguration,
  WriteRefused
} from "../../../domain/network/errors.ts"
import type { CassetteWriteError } from "../cassette.ts"
import type {
  CarryingReport,
  ExportReport,
  ImportReport,
  IndexReport,
  ReindexReport,
  SweepReport,
  VerifiedCassette
} from "./keeping-reports.ts"

/** A cassette of the configuration, as those see it who keep it. */
export interface KeptCassette {
  readonly id: string
  /** The file, absolute. */
  readonly file: string
  readonly type: "local" | "external"
  readonly mutability: Mutability
  /** What the configuration asks of the file. */
  readonly asked: AskedBirth
  /** It is brought up to date with its sources without being named (`auto_index`). */
  readonly isFollowed: boolean
  /** Why the configuration does not let it be used, if so. */
  readonly refusal: string | undefined
}

/** The embedder failed, or is not the one that made the stored vectors. */
export type VectorError = EmbedderFailed | EmbedderMismatch
/** Every way in which a cassette is not brought up to date; it stays as it was. */
export type IndexError = CassetteWriteError | FileUnreadable | NotAFile | PathOutsideRoot | VectorError
/** Every way in which a cartridge is not imported; no cassette is made then. */
export type CartridgeError = CartridgeRefused | InvalidInput | ReadOnlyStore | StorageFailure | StorageFull
/** Every way in which a cassette is not exported; nothing is written then. */
export type ExportError =
  | CassetteDamaged
  | CassetteOffline
  | InvalidInput
  | ReadOnlyStore
  | StorageFailure
  | StorageFull
  | TargetExists

export interface IndexTask {
  /** False: the cassette is only made, if its file is missing. */
  readonly isFollowed: boolean
  /** True: what no source has is removed also where a source matches nothing. */
  readonly prune: boolean
}

/** A cartridge that is open: its manifest is judged, its lines are not yet. */
export interface OpenCartridge {
  readonly manifest: CartridgeManifest
  /** Judges it to its last line; nothing is made. */
  readonly check: Effect.Effect<void, CartridgeError>
}

/** One reading of the configuration, and the work on the cassettes that it names; each is told by its id. */
export interface KeptNetwork {
  readonly cassettes: ReadonlyArray<KeptCassette>
  readonly index: (id: string, task: IndexTask) => Effect.Effect<IndexReport, IndexError>
  readonly reindex: (id: string) => Effect.Effect<ReindexReport, CassetteWriteError | VectorError>
  /** Removes what has expired by `now` (timestamp). */
  readonly sweep: (id: string, now: string) => Effect.Effect<SweepReport, CassetteWriteError>
  readonly verify: (id: string) => Effect.Effect<VerifiedCassette, CassetteOffline>
  /** Undefined when the file is as the configuration asks, or missing. */
  readonly carry: (
    id: string,
    publish: boolean
  ) => Effect.Effect<CarryingReport | undefined, CassetteWriteError | WriteRefused>
  /** Where each agent has its own memories, those of `agent` alone go along. */
  readonly exportTo: (
    id: string,
    agent: string | null,
    target: string,
    form: "folder" | "tar"
  ) => Effect.Effect<ExportReport, ExportError>
  readonly importFrom: (
    id: string,
    cartridge: OpenCartridge
  ) => Effect.Effect<ImportReport, CartridgeError | CassetteFileExists | CassetteWriteError | VectorError>
  /** True when the file of the cassette is there. */
  readonly isThere: (id: string) => boolean
}

export interface CassetteFilesShape {
  /** Reads the configuration; its embedder lives as long as the scope. */
  readonly read: Effect.Effect<KeptNetwork, ConfigurationMissing | InvalidConfiguration, Scope.Scope>
  /** Opens a folder or tar file at an absolute path for the scope's life. */
  readonly openCartridge: (path: string) => Effect.Effect<OpenCartridge, CartridgeError, Scope.Scope>
  /** Has an element whenever sources, or the configuration, may have changed; the beginning counts as a change. */
  readonly changes: Stream.Stream<void, ConfigurationMissing | InvalidConfiguration>
}

export class CassetteFiles extends Context.Service<CassetteFiles, CassetteFilesShape>()(
  "cortex-cassette/application/CassetteFiles"
) {}
