// The ledger's ports on one SQLite file, as one layer: opening, writing, querying and verifying share the file's
// scope. Only what cannot be opened as the ledger that was asked for is an error; damage inside it leaves a ledger
// that can be read and verified and that refuses to write.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Hashing } from "../../application/foundation/hashing.ts"
import { LedgerEvidence } from "../../application/ledger/verification/ledger-evidence.ts"
import { LedgerCopies } from "../../application/ledger/verification/ledger-copies.ts"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { LedgerStore } from "../../application/ledger/commands/ledger-store.ts"
import type { Signing } from "../../application/foundation/signing.ts"
import type { RandomIds } from "../../application/ledger/thoughts/random-ids.ts"
import type { OpenError } from "../../domain/ledger/errors.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { nodeRandomIdsLayer } from "./thoughts/node-random-ids.ts"
import { verifyContent } from "./verification/content-verification.ts"
import { backupTo } from "./copies/ledger-backup.ts"
import { openLedgerFile } from "./opening/ledger-file.ts"
import { openLedgerReader } from "./ledger-file-reader.ts"
import { decodeLedgerOptions, type SqliteLedgerOptions } from "./opening/ledger-options.ts"
import { rebuildTo } from "./copies/ledger-rebuild.ts"
import { makeSqliteLedgerEvidence, verifyFile } from "./sqlite-ledger-evidence.ts"
import { makeSqliteLedgerStore } from "./sqlite-ledger-store.ts"

type Ports = LedgerStore | LedgerReader | LedgerEvidence | LedgerCopies

const makePorts = (given: SqliteLedgerOptions) =>
  Effect.gen(function* () {
    const options = yield* Effect.fromResult(decodeLedgerOptions(given))
    const file = yield* openLedgerFile(options)
    const evidence = makeSqliteLedgerEvidence(file)
    const report =
      options.verifyOnOpen === "full" && file.fault === undefined
        ? yield* verifyContent(evidence, file.name)
        : undefined
    const store = yield* makeSqliteLedgerStore({ ...file, fault: file.fault ?? report?.findings[0] })
    const reader = yield* openLedgerReader(file)
    return Layer.mergeAll(
      Layer.succeed(LedgerStore, store),
      Layer.succeed(LedgerReader, reader),
      Layer.succeed(LedgerEvidence, evidence),
      Layer.succeed(LedgerCopies, {
        backup: (target) => backupTo(file, target),
        rebuild: (target) => rebuildTo(file, target, verifyFile)
      })
    )
  })

/** The ledger's ports on a SQLite file, with hashing, signatures and random ids. */
export const sqliteLedgerLayer = (
  options: SqliteLedgerOptions
): Layer.Layer<Ports | Hashing | RandomIds | Signing, OpenError> =>
  Layer.unwrap(makePorts(options)).pipe(
    Layer.provideMerge(Layer.mergeAll(nodeHashingLayer, nodeRandomIdsLayer, nodeSigningLayer))
  )
