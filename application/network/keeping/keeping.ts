// Keeping cassettes: they are filled from their sources, indexed again, swept, verified, carried into another form, exported and
// imported. One service for programs, the command line and MCP; the files are behind the port `CassetteFiles`.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { errorCode } from "../../../domain/foundation/errors.ts"
import { birthDifferences } from "../../../domain/network/birth.ts"
import type { CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"
import {
  CassetteDiffers,
  type CassetteFileExists,
  CassetteOffline,
  type ConfigurationMissing,
  type InvalidConfiguration,
  UnknownCassette,
  WriteRefused
} from "../../../domain/network/errors.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"
import { datedNow } from "../../foundation/recordable-time.ts"
import { reported } from "../../foundation/progress.ts"
import type { CassetteWriteError } from "../cassette.ts"
import {
  type CartridgeError,
  CassetteFiles,
  type CassetteFilesShape,
  type ExportError,
  type IndexError,
  type KeptCassette,
  type KeptNetwork,
  type VectorError
} from "./cassette-files.ts"
import type {
  CarryingReport,
  ExportReport,
  ImportReport,
  IndexReport,
  ReindexReport,
  SweepReport,
  VerifiedCassette
} from "./keeping-reports.ts"
import { type WritePurpose, writeRefusal } from "./write-purpose.ts"

/** A cassette that had no part in a task on several, and why. */
export interface RefusedCassette<E> {
  readonly cassette_id: string
  /** The error's code, as the command line tells it: `CASSETTE_DIFFERS`. */
  readonly code: string
  readonly error: E
}

/** What a task on several cassettes came to: one that is refused does not end the others. */
export interface EachCassette<A, E> {
  readonly done: ReadonlyArray<A>
  readonly refused: ReadonlyArray<RefusedCassette<E>>
}

type Configured = ConfigurationMissing | InvalidConfiguration

/** Which cassettes, all by default. `prune` removes what no source has. */
export interface IndexOptions {
  /** Ids; all local cassettes that follow their sources when none is named. */
  readonly cassettes?: ReadonlyArray<string> | undefined
  /** True: what no source has is removed also where a source matches nothing (it may be mistyped). */
  readonly prune?: boolean | undefined
}

/** Which cassette goes where, as a folder (default) or one tar file. `agent` names whose own memories go along. */
export interface ExportOptions {
  readonly cassette: string
  /** Where it is made, absolute; nothing is written over. */
  readonly target: string
  /** A folder, or one uncompressed tar file; a folder when it is left out. */
  readonly form?: "folder" | "tar" | undefined
  /** Where each agent has its own memories, those of this one alone go along. */
  readonly agent?: string | undefined
}

/** The operations on configured cassettes. Those on several answer what became of each. */
export interface CassetteKeepingShape {
  /**
   * Brings cassettes up to date with their sources, each document with its receipt. The refusal of one that is alone is the
   * effect's own error.
   */
  readonly index: (
    options?: IndexOptions
  ) => Effect.Effect<
    EachCassette<IndexReport, IndexError>,
    Configured | IndexError | UnknownCassette | WriteRefused
  >
  /** Makes chunks, indexes and vectors again from what is stored; sealed cassettes are left out unless they are named. */
  readonly reindex: (
    cassettes?: ReadonlyArray<string>
  ) => Effect.Effect<
    EachCassette<ReindexReport, CassetteWriteError | VectorError>,
    CassetteWriteError | Configured | UnknownCassette | VectorError | WriteRefused
  >
  /** Removes what has expired: from ephemeral cassettes, or from those that are named. */
  readonly sweep: (
    cassettes?: ReadonlyArray<string>
  ) => Effect.Effect<
    EachCassette<SweepReport, CassetteWriteError>,
    CassetteOffline | CassetteWriteError | Configured | UnknownCassette | WriteRefused
  >
  /** Judges cassettes from their files alone. A finding is no error; a cassette that cannot be looked at is. */
  readonly verify: (
    cassettes?: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<VerifiedCassette>, CassetteOffline | Configured | UnknownCassette>
  /** Carries what files hold that were born otherwise than the configuration asks; private memories only with `publish`. */
  readonly migrate: (
    cassettes?: ReadonlyArray<string>,
    options?: { readonly publish?: boolean }
  ) => Effect.Effect<
    EachCassette<CarryingReport, CassetteWriteError | WriteRefused>,
    CassetteWriteError | Configured | UnknownCassette | WriteRefused
  >
  /** Writes what a cassette holds as a cartridge at an absolute path; nothing is written over. */
  readonly exportCartridge: (
    options: ExportOptions
  ) => Effect.Effect<ExportReport, Configured | ExportError | UnknownCassette>
  /** Makes the cassette of a cartridge at an absolute path, where the configuration has its id and no file stands yet. */
  readonly importCartridge: (
    path: string
  ) => Effect.Effect<
    ImportReport & { readonly file: string },
    | CartridgeError
    | CassetteFileExists
    | CassetteWriteError
    | Configured
    | UnknownCassette
    | VectorError
    | WriteRefused
  >
  /** Judges a cartridge to its last line; needs no configuration and makes nothing. */
  readonly checkCartridge: (path: string) => Effect.Effect<CartridgeManifest, CartridgeError>
  /** Indexes the cassettes that follow their sources whenever these change: what each run came to, until it is ended. */
  readonly follow: Stream.Stream<FollowedRun, Configured>
}

/** One run of `follow`: what went wrong with all of it is told, and the next change is tried again. */
export type FollowedRun = Result.Result<EachCassette<IndexReport, IndexError>, Configured | IndexError>

/** The cassettes with these ids, all when there are none. */
const chosen = (
  { cassettes }: KeptNetwork,
  ids: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<KeptCassette>, UnknownCassette> => {
  const known = cassettes.map(({ id }) => id)
  const unknown = ids.filter((id) => !known.includes(id))
  return unknown.length > 0
    ? Effect.fail(new UnknownCassette({ cassettes: unknown, known }))
    : Effect.succeed(ids.length === 0 ? cassettes : cassettes.filter(({ id }) => ids.includes(id)))
}

/** The chosen cassettes that a task may write to; one that was named and may not be written is an error. */
const writable = Effect.fnUntraced(function* (
  purpose: WritePurpose,
  network: KeptNetwork,
  ids: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<KeptCassette>, UnknownCassette | WriteRefused> {
  const cassettes = yield* chosen(network, ids)
  for (const cassette of ids.length === 0 ? [] : cassettes) {
    const reason = writeRefusal(purpose, cassette)
    if (reason !== undefined) return yield* new WriteRefused({ cassette_id: cassette.id, reason })
  }
  return cassettes.filter((cassette) => writeRefusal(purpose, cassette) === undefined)
})

/**
 * Runs work on each cassette, one after another. The refusal of one that is alone is the work's own; a fault of the machine
 * ends all of it.
 */
const each = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }>(
  cassettes: ReadonlyArray<KeptCassette>,
  work: (cassette: KeptCassette) => Effect.Effect<A, E>
): Effect.fn.Return<EachCassette<A, E>, E> {
  const done: Array<A> = []
  const refused: Array<RefusedCassette<E>> = []
  for (const cassette of cassettes) {
    const outcome = yield* Effect.result(work(cassette))
    if (outcome._tag === "Success") done.push(outcome.success)
    else if (cassettes.length === 1 || outcome.failure._tag === "StorageFailure")
      return yield* Effect.fail(outcome.failure)
    else {
      const error = outcome.failure
      refused.push({ cassette_id: cassette.id, code: errorCode(error), error })
    }
  }
  return { done, refused }
})

const index = (files: CassetteFilesShape): CassetteKeepingShape["index"] =>
  Effect.fnUntraced(function* ({ cassettes = [], prune = false } = {}) {
    const network = yield* files.read
    return yield* each(yield* writable("index", network, cassettes), ({ id, isFollowed }) =>
      // Without sources to follow there is still a cassette to make, for memories.
      network.index(id, { isFollowed: isFollowed || cassettes.includes(id), prune })
    )
  }, Effect.scoped)

const reindex = (files: CassetteFilesShape): CassetteKeepingShape["reindex"] =>
  Effect.fnUntraced(function* (ids = []) {
    const network = yield* files.read
    return yield* each(yield* writable("reindex", network, ids), ({ id }) =>
      reported(id, network.reindex(id))
    )
  }, Effect.scoped)

const sweep = (files: CassetteFilesShape): CassetteKeepingShape["sweep"] =>
  Effect.fnUntraced(function* (ids = []) {
    const network = yield* files.read
    const cassettes = yield* writable("sweep", network, ids)
    const missing = cassettes.find(({ id }) => ids.includes(id) && !network.isThere(id))
    if (missing !== undefined) {
      const reason = "the file is missing"
      return yield* new CassetteOffline({ cassette_id: missing.id, status: "offline", reason })
    }
    const now = yield* datedNow
    const swept = cassettes.filter(
      ({ id, mutability }) => network.isThere(id) && (ids.length > 0 || rulesOf(mutability).expires)
    )
    return yield* each(swept, ({ id }) => reported(id, network.sweep(id, now)))
  }, Effect.scoped)

const verify = (files: CassetteFilesShape): CassetteKeepingShape["verify"] =>
  Effect.fnUntraced(function* (ids = []) {
    const network = yield* files.read
    return yield* Effect.forEach(yield* chosen(network, ids), ({ id, refusal: reason }) =>
      reason === undefined
        ? reported(id, network.verify(id))
        : Effect.fail(new CassetteOffline({ cassette_id: id, status: "refused", reason }))
    )
  }, Effect.scoped)

const migrate = (files: CassetteFilesShape): CassetteKeepingShape["migrate"] =>
  Effect.fnUntraced(function* (ids = [], { publish = false } = {}) {
    const network = yield* files.read
    const cassettes = yield* writable("migrate", network, ids)
    const { done, refused } = yield* each(cassettes, ({ id }) => reported(id, network.carry(id, publish)))
    return { done: done.filter((carried) => carried !== undefined), refused }
  }, Effect.scoped)

const exportCartridge = (files: CassetteFilesShape): CassetteKeepingShape["exportCartridge"] =>
  Effect.fnUntraced(function* ({ agent = null, cassette: id, form = "folder", target }) {
    const network = yield* files.read
    const [cassette] = yield* chosen(network, [id])
    const reason = cassette?.refusal
    if (reason !== undefined) {
      return yield* new CassetteOffline({ cassette_id: id, status: "refused", reason })
    }
    return yield* reported(id, network.exportTo(id, agent, target, form))
  }, Effect.scoped)

const importCartridge = (files: CassetteFilesShape): CassetteKeepingShape["importCartridge"] =>
  Effect.fnUntraced(function* (path) {
    const cartridge = yield* files.openCartridge(path)
    const network = yield* files.read
    const { cassette_id: id, memories, mutability, ttl_ms } = cartridge.manifest
    const [cassette] = yield* writable("import", network, [id])
    if (cassette === undefined) return yield* Effect.die(new Error(`no cassette ${id} after it was chosen`))
    const born = new Map(Object.entries({ memories, mutability, ttl_ms: `${ttl_ms}` }))
    const differences = birthDifferences(born, cassette.asked)
    if (differences.length > 0)
      return yield* new CassetteDiffers({ cassette_id: id, file: path, differences })
    const made = yield* reported(path, network.importFrom(id, cartridge))
    return { ...made, file: cassette.file }
  }, Effect.scoped)

const checkCartridge = (files: CassetteFilesShape): CassetteKeepingShape["checkCartridge"] =>
  Effect.fnUntraced(function* (path) {
    const { check, manifest } = yield* files.openCartridge(path)
    yield* reported(path, check)
    return manifest
  }, Effect.scoped)

/** One run over the cassettes that follow their sources. */
const followed = (files: CassetteFilesShape): Effect.Effect<FollowedRun> =>
  Effect.gen(function* () {
    const network = yield* files.read
    const cassettes = network.cassettes.filter(
      (cassette) => cassette.isFollowed && writeRefusal("index", cassette) === undefined
    )
    return yield* each(cassettes, ({ id }) => network.index(id, { isFollowed: true, prune: false }))
  }).pipe(Effect.scoped, Effect.result)

const keepingOf = (files: CassetteFilesShape): CassetteKeepingShape => ({
  index: index(files),
  reindex: reindex(files),
  sweep: sweep(files),
  verify: verify(files),
  migrate: migrate(files),
  exportCartridge: exportCartridge(files),
  importCartridge: importCartridge(files),
  checkCartridge: checkCartridge(files),
  follow: Stream.mapEffect(files.changes, () => followed(files))
})

/** Fills, verifies, exports, imports and migrates the cassettes of a configuration. */
export class CassetteKeeping extends Context.Service<CassetteKeeping, CassetteKeepingShape>()(
  "cortex-cassette/application/CassetteKeeping"
) {
  /** The service over the provided files. */
  static readonly layerNoDeps: Layer.Layer<CassetteKeeping, never, CassetteFiles> = Layer.effect(
    CassetteKeeping,
    Effect.map(CassetteFiles, keepingOf)
  )
}
