// The Merkle port over the disposable file `<ledger>.merkle`. Nothing that is read from the file is believed: its root
// must follow from its nodes, it must hold the newest event that it covers, and every answer is verified against the
// root before it leaves; what fails is made again from the events. It never opens the database, and where it cannot
// write beside the ledger it works in a private temporary folder.
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { leafInput, noLeaf } from "../../../application/ledger/proofs/event-roots.ts"
import { LedgerReader } from "../../../application/ledger/reading/ledger-reader.ts"
import {
  MerkleLog,
  type MerkleLogError,
  type MerklePaths
} from "../../../application/ledger/proofs/merkle-log.ts"
import { Signing } from "../../../application/foundation/signing.ts"
import { bytesEqual, joinBytes, type Sha256Bytes } from "../../../domain/canonical/bytes.ts"
import { StorageFailure, StorageFull } from "../../../domain/foundation/storage-errors.ts"
import { StoreCorrupt } from "../../../domain/ledger/errors.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { MerkleFrontier } from "../../../domain/evidence/merkle-frontier.ts"
import { InclusionChecks, InclusionPaths } from "../../../domain/evidence/inclusion-walk.ts"
import { consistencyFault } from "../../../domain/evidence/merkle-proof.ts"
import { consistencyPath, type Hash, leafHash, rootAt } from "../../../domain/evidence/merkle-tree.ts"
import { isForbidden, type MerkleFile, openMerkleFile, replaceMerkleFile } from "./merkle-file.ts"
import { IN_MEMORY } from "../opening/ledger-options.ts"
import type { MerkleHeader } from "./merkle-file-format.ts"

/** Events that are read and written at a time. */
const PAGE = 500

/** The place of a ledger's tree. */
const merklePath = (ledgerFile: string): string => `${ledgerFile}.merkle`

const failure = (file: string, error: unknown): StorageFailure | StorageFull => {
  if (!(error instanceof Error) || !("code" in error)) throw error
  return error.code === "ENOSPC" || error.code === "EDQUOT"
    ? new StorageFull({ file })
    : new StorageFailure({ file, code: String(error.code), reason: error.message })
}

/** A tree that is open and was found to fit, with the header that it had then. */
interface FittingTree {
  readonly file: MerkleFile
  readonly header: MerkleHeader
}

/** An answer from a tree, or undefined when the tree's nodes do not bear it out. */
type TreeQuestion<A> = (tree: FittingTree) => A | undefined

const headOfTree = (sha256: Sha256Bytes, file: MerkleFile): MerkleHeader | undefined => {
  const header = file.header()
  return header !== undefined && bytesEqual(rootAt(sha256, header.size, file.nodeAt), header.root)
    ? header
    : undefined
}

/** The root of the first `size` leaves, shown to be consistent with the header's. */
const rootOfPrefix = (sha256: Sha256Bytes, { file, header }: FittingTree, size: number): Hash | undefined => {
  if (size === header.size) return header.root
  const oldRoot = rootAt(sha256, size, file.nodeAt)
  const path = consistencyPath(sha256, size, header.size, file.nodeAt)
  const claim = { from: size, to: header.size, oldRoot, newRoot: header.root, path }
  return consistencyFault(sha256, claim) === undefined ? oldRoot : undefined
}

const inclusionsAnswer =
  (sha256: Sha256Bytes, size: number, indices: ReadonlyArray<number>): TreeQuestion<MerklePaths> =>
  (tree) => {
    const root = rootOfPrefix(sha256, tree, size)
    if (root === undefined) return undefined
    const { nodeAt } = tree.file
    const made = new InclusionPaths(sha256, size, nodeAt)
    const checks = new InclusionChecks(sha256, size, root)
    const paths: Array<ReadonlyArray<string>> = []
    for (const index of indices) {
      const path = made.pathOf(index)
      if (checks.fault(index, nodeAt(0, index), path) !== undefined) return undefined
      paths.push(path)
    }
    return { root, paths }
  }

const consistencyAnswer =
  (
    sha256: Sha256Bytes,
    from: number,
    to: number
  ): TreeQuestion<{ oldRoot: Hash; root: Hash; path: ReadonlyArray<Hash> }> =>
  (tree) => {
    const root = rootOfPrefix(sha256, tree, to)
    if (root === undefined) return undefined
    const { nodeAt } = tree.file
    // The older root needs no check of its own: the path leads from it to the newer one, or nowhere.
    const oldRoot = rootAt(sha256, from, nodeAt)
    const path = consistencyPath(sha256, from, to, nodeAt)
    const fault = consistencyFault(sha256, { from, to, oldRoot, newRoot: root, path })
    return fault === undefined ? { oldRoot, root, path } : undefined
  }

/** The nodes that a page of events completes, in file order; an event that cannot follow is an error. */
const nodesOf = (
  sha256: Sha256Bytes,
  frontier: MerkleFrontier,
  events: ReadonlyArray<EventEnvelope>
): Uint8Array | StoreCorrupt => {
  const nodes: Array<Hash> = []
  for (const event of events) {
    const input = leafInput(event)
    if (input === undefined || event.position !== frontier.size + 1) return noLeaf(event)
    nodes.push(...frontier.append(leafHash(sha256, input)))
  }
  return joinBytes(...nodes)
}

/** The Merkle port on the file beside a ledger, for the scope's life. */
const makeMerkleFileLog = Effect.fnUntraced(function* (
  ledgerFile: string
): Effect.fn.Return<MerkleLog["Service"], never, LedgerReader | Signing | Scope.Scope> {
  const reader = yield* LedgerReader
  const { sha256 } = yield* Signing
  const scope = yield* Effect.scope
  // Links lead to one ledger, and one ledger has one tree.
  let path = merklePath(existsSync(ledgerFile) ? realpathSync(ledgerFile) : ledgerFile)
  let placed = ledgerFile !== IN_MEMORY

  const attempt = <A>(work: () => A): Effect.Effect<A, StorageFailure | StorageFull> =>
    Effect.try({ try: work, catch: (error) => failure(path, error) })

  const opened = <F extends MerkleFile | undefined>(open: () => F) =>
    Effect.acquireRelease(attempt(open), (file) => Effect.sync(() => file?.close()))

  /** Goes on in a private folder, which vanishes with the scope. */
  const moveAway = Effect.acquireRelease(
    attempt(() => mkdtempSync(join(tmpdir(), "cassette-merkle-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(
    Effect.provideService(Scope.Scope, scope),
    Effect.map((folder) => {
      path = join(folder, "tree.merkle")
      placed = true
    })
  )

  /** A ledger in memory has no place beside it; nothing is made before it is needed. */
  const place = Effect.suspend(() => (placed ? Effect.void : moveAway))

  /** Whether the tree is one of this log: it holds the newest event that it covers, and the log has that event. */
  const fits = Effect.fnUntraced(function* (
    file: MerkleFile
  ): Effect.fn.Return<MerkleHeader | undefined, MerkleLogError> {
    const header = yield* attempt(() => headOfTree(sha256, file))
    if (header === undefined) return undefined
    const [newest] = yield* reader.events(header.size - 1, 1)
    const input = newest?.position === header.size ? leafInput(newest) : undefined
    if (input === undefined) return undefined
    const leaf = yield* attempt(() => file.nodeAt(0, header.size - 1))
    return bytesEqual(leaf, leafHash(sha256, input)) ? header : undefined
  })

  /** Appends the events after `known` up to `size`; what was appended counts page by page. */
  const extend = Effect.fnUntraced(function* (
    file: MerkleFile,
    known: number,
    size: number
  ): Effect.fn.Return<MerkleHeader, MerkleLogError> {
    const frontier = yield* attempt(() => new MerkleFrontier(sha256, known, file.nodeAt))
    let header: MerkleHeader = { size: known, root: frontier.root() }
    while (frontier.size < size) {
      const before = frontier.size
      const events = yield* reader.events(before, Math.min(PAGE, size - before))
      const nodes = nodesOf(sha256, frontier, events)
      if (nodes instanceof StoreCorrupt) return yield* Effect.fail(nodes)
      if (events.length === 0) return yield* Effect.fail(noLeaf({ position: before + 1 }))
      header = { size: frontier.size, root: frontier.root() }
      yield* attempt(() => {
        file.appendNodes(before, nodes)
        file.writeHeader(header)
      })
      yield* Effect.yieldNow
    }
    return header
  })

  /** A new tree of the first `size` events in place of what is there. */
  const build = Effect.fnUntraced(function* (
    size: number
  ): Effect.fn.Return<FittingTree, MerkleLogError, Scope.Scope> {
    const file = yield* opened(() => replaceMerkleFile(sha256, path, ledgerFile)).pipe(
      Effect.catchTag("StorageFailure", (error) =>
        isForbidden(error)
          ? Effect.andThen(
              moveAway,
              opened(() => replaceMerkleFile(sha256, path, ledgerFile))
            )
          : Effect.fail(error)
      )
    )
    return { file, header: yield* extend(file, 0, size) }
  })

  /** The tree over at least the first `size` events: what is there, extended, or a new one. */
  const treeOf = Effect.fnUntraced(function* (
    size: number
  ): Effect.fn.Return<FittingTree, MerkleLogError, Scope.Scope> {
    const file = yield* opened(() => openMerkleFile(sha256, path))
    const header = file === undefined ? undefined : yield* fits(file)
    if (file === undefined || header === undefined) return yield* build(size)
    if (header.size >= size) return { file, header }
    return file.writable ? { file, header: yield* extend(file, header.size, size) } : yield* build(size)
  })

  const answered = Effect.fnUntraced(function* <A>(
    size: number,
    answer: TreeQuestion<A>
  ): Effect.fn.Return<A, MerkleLogError> {
    yield* place
    const first = yield* Effect.scoped(Effect.flatMap(treeOf(size), (tree) => attempt(() => answer(tree))))
    if (first !== undefined) return first
    const second = yield* Effect.scoped(Effect.flatMap(build(size), (tree) => attempt(() => answer(tree))))
    if (second !== undefined) return second
    return yield* new StorageFailure({
      file: path,
      code: "MERKLE_UNSTABLE",
      reason: "the tree does not hold what was just written to it"
    })
  })

  return {
    inclusions: (size, indices) => answered(size, inclusionsAnswer(sha256, size, indices)),
    consistency: (from, to) => answered(to, consistencyAnswer(sha256, from, to)),
    rebuild: (size) => Effect.andThen(place, Effect.scoped(Effect.asVoid(build(size))))
  }
})

/** The Merkle port on the file beside a ledger. */
export const merkleFileLayer = (ledgerFile: string): Layer.Layer<MerkleLog, never, LedgerReader | Signing> =>
  Layer.effect(MerkleLog, makeMerkleFileLog(ledgerFile))
