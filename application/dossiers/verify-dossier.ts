// Verifies a dossier from its own bytes and a trust file: the manifest, the names in the folder, the checkpoint, every line of every
// file, the bundles. With a ledger each event is compared with the ledger's too, and what was left out is found. It ends in a
// report; only what cannot be looked at is an error.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { DossierEvent } from "../../domain/dossiers/event-lines.ts"
import type { NotADossierArchive } from "../../domain/dossiers/errors.ts"
import { EventJudge } from "../../domain/dossiers/event-judge.ts"
import { DossierFindings, type DossierReport } from "../../domain/dossiers/finding.ts"
import { MAX_MANIFEST_BYTES } from "../../domain/dossiers/limits.ts"
import { checkListing, checkManifest } from "../../domain/dossiers/manifest-check.ts"
import { type DossierManifest, type DossierStream, MANIFEST_NAME } from "../../domain/dossiers/manifest.ts"
import { TrustFile } from "../../domain/evidence/trust.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { manifestFaultCodes } from "../../domain/foundation/foreign-files.ts"
import type { FileUnreadable } from "../../domain/foundation/root-files.ts"
import type { BundleSource } from "../bundles/bundle-source.ts"
import type { TargetFailure } from "../foundation/folder-target.ts"
import { Hashing } from "../foundation/hashing.ts"
import { decodeInput } from "../foundation/input.ts"
import type { Signing } from "../foundation/signing.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { checkBundles } from "./carried-bundles.ts"
import { checkCheckpoint, type JudgedCheckpoint } from "./checkpoint-check.ts"
import { DossierFiles, type OpenedDossier } from "./dossier-files.ts"
import { walkEvents, type WalkCounts } from "./event-walk.ts"
import { type Compared, compareWithLedger, type LedgerComparison } from "./ledger-comparison.ts"
import { traced } from "../foundation/telemetry.ts"

/** What a verification is given beside the dossier. */
export interface VerifyDossier {
  /** Whom to believe; without it no signature is judged, and the report names no signer. */
  readonly trust?: TrustFile | undefined
}

/** Is given the events as they pass by, in their order; what they are worth the report says at the end. */
export type EventWitness = (events: ReadonlyArray<DossierEvent>) => Effect.Effect<void>

const noWitness: EventWitness = () => Effect.void

/** A verification's report with what was verified; the manifest is there when it could be followed. */
export interface VerifiedDossier {
  readonly report: DossierReport
  readonly manifest: DossierManifest | undefined
}

/** Every way verifying can fail, which says nothing about the dossier. */
export type VerifyDossierError = FileUnreadable | NotADossierArchive | TargetFailure | InvalidInput

/** The ports that verifying a dossier needs; a ledger is none of them. */
export type DossierPorts = DossierFiles | BundleSource | Hashing | Signing

const decode = decodeInput(Schema.Struct({ trust: Schema.optional(TrustFile) }), Result.succeed)

/** What the walk over a dossier has found out. */
interface Walked {
  readonly counts: Readonly<Record<string, number>>
  readonly signers: ReadonlyArray<string>
  readonly compared: Compared | undefined
}

const NOT_WALKED: Walked = { counts: {}, signers: [], compared: undefined }

const reportOf = (
  list: DossierFindings,
  manifest: DossierManifest | undefined,
  { compared, counts, signers }: Walked
): DossierReport => ({
  ...list.report,
  verdict: list.handedOverVerdict,
  counts,
  ledger_id: manifest?.ledger_id ?? null,
  choice: manifest?.choice ?? null,
  bodies: manifest?.bodies ?? null,
  size: manifest?.checkpoint.size ?? null,
  root: manifest?.checkpoint.root ?? null,
  root_hash: manifest?.root_hash ?? null,
  streams: manifest?.streams ?? [],
  signers,
  complete: compared?.complete ?? null,
  newer_events: compared?.newer_events ?? null
})

/** Holds the streams as they were met against the manifest. */
const checkStreams = (
  list: DossierFindings,
  manifest: DossierManifest,
  met: ReadonlyArray<DossierStream>
): void => {
  for (const [index, stream] of manifest.streams.entries()) {
    const found = met[index]
    if (JSON.stringify(found) === JSON.stringify({ ...found, ...stream }) && stream.count > 0) continue
    const said = `${stream.count} events from ${stream.first} to ${stream.last}`
    const there = `${found?.count ?? 0} from ${found?.first ?? 0} to ${found?.last ?? 0}`
    const message = `the manifest counts ${said}, there are ${there}; or they stand at other positions`
    list.add("STREAM_MISMATCH", `/streams/${index}`, message)
  }
}

const countsOf = (walked: WalkCounts, judge: EventJudge, bundles: number) => ({
  events: walked.events,
  withheld: judge.withheld,
  proofs: walked.proofs,
  thoughts: walked.thoughts,
  bundles
})

/** Begins to hold a dossier against a ledger, if there is one. */
type BeginComparison<E> = (
  list: DossierFindings,
  manifest: DossierManifest
) => Effect.Effect<LedgerComparison<E> | undefined, E, Hashing>

/** Walks a dossier whose manifest and checkpoint can be followed. */
const walkDossier = Effect.fnUntraced(function* <E>(
  list: DossierFindings,
  opened: OpenedDossier,
  manifest: DossierManifest,
  { checkpoint, signers }: JudgedCheckpoint,
  comparison: LedgerComparison<E> | undefined,
  onEvents: EventWitness
) {
  const { sha256, sha256Stream } = yield* Hashing
  const judge = new EventJudge(list, {
    sha256,
    sha256Stream,
    choice: manifest.choice,
    bodies: manifest.bodies,
    size: checkpoint.size,
    jobs: manifest.bundles.map(({ job_id }) => job_id)
  })
  const witness = (events: ReadonlyArray<DossierEvent>) =>
    Effect.andThen(onEvents(events), comparison?.take(events) ?? Effect.void)
  const walked = yield* walkEvents({ list, manifest, judge, checkpoint }, opened, witness)
  if (walked === undefined) return { ...NOT_WALKED, signers }
  checkStreams(list, manifest, judge.streams())
  for (const { id, kind } of judge.absent())
    list.add("STREAM_MISMATCH", "/choice", `there is no event of ${kind} ${id}`)
  const bundles = yield* checkBundles(list, opened.folder, manifest, judge)
  const compared = comparison === undefined ? undefined : yield* comparison.end
  return { counts: countsOf(walked, judge, bundles), signers, compared } satisfies Walked
})

const verifyOpened = Effect.fnUntraced(function* <E>(
  opened: OpenedDossier,
  trust: TrustFile | undefined,
  compare: BeginComparison<E>,
  onEvents: EventWitness
) {
  const { sha256 } = yield* Hashing
  const list = new DossierFindings()
  const read = yield* Effect.result(opened.file(MANIFEST_NAME, MAX_MANIFEST_BYTES))
  if (Result.isFailure(read))
    list.add(manifestFaultCodes[read.failure.fault], MANIFEST_NAME, read.failure.message)
  const manifest = Result.isSuccess(read) ? checkManifest(list, sha256, read.success) : undefined
  let walked = NOT_WALKED
  if (manifest !== undefined) {
    checkListing(list, manifest, opened.listing)
    const judged = yield* checkCheckpoint(list, opened, manifest, trust)
    const comparison = yield* compare(list, manifest)
    if (judged !== undefined)
      walked = yield* walkDossier(list, opened, manifest, judged, comparison, onEvents)
  }
  for (const folder of yield* opened.changedFolders) {
    list.add("FILE_CHANGED", folder, "names were added, removed or replaced while the dossier was verified")
  }
  return { report: reportOf(list, manifest, walked), manifest } satisfies VerifiedDossier
})

const verifyAt = <E>(
  path: string,
  given: VerifyDossier,
  compare: BeginComparison<E>,
  onEvents: EventWitness
): Effect.Effect<VerifiedDossier, VerifyDossierError | E, DossierPorts> =>
  Effect.gen(function* () {
    const { trust } = yield* Effect.fromResult(decode(given))
    const files = yield* DossierFiles
    return yield* verifyOpened(yield* files.open(path), trust, compare, onEvents)
  }).pipe(Effect.scoped)

/** Verifies the dossier at an absolute path: a folder, the `dossier.json` in it, or a packed one. */
export const verifyDossier = traced("cassette.dossier.verify")(function* (
  path: string,
  given: VerifyDossier = {},
  onEvents: EventWitness = noWitness
): Effect.fn.Return<VerifiedDossier, VerifyDossierError, DossierPorts> {
  return yield* verifyAt(path, given, () => Effect.succeed(undefined), onEvents)
})

/** As `verifyDossier`, and compares each event with a ledger's; finds what was left out. */
export const verifyDossierWith = traced("cassette.dossier.verifyWith")(function* (
  ledger: LedgerShape,
  path: string,
  given: VerifyDossier = {}
): Effect.fn.Return<VerifiedDossier, VerifyDossierError | ReadError, DossierPorts> {
  const compare: BeginComparison<ReadError | InvalidInput> = (list, manifest) =>
    compareWithLedger(list, manifest, ledger)
  return yield* verifyAt(path, given, compare, noWitness)
})
