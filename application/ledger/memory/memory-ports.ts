// The ledger's ports over a ledger in memory, as one layer: each time it is built it is another ledger. Hashing and random ids
// are the host's.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { jcsText } from "../../../domain/canonical/jcs.ts"
import { timestampFromMillis } from "../../../domain/canonical/timestamp.ts"
import { StorageFailure } from "../../../domain/foundation/storage-errors.ts"
import { EMPTY_HEAD, LEDGER_STREAM } from "../../../domain/ledger/event-envelope.ts"
import { envelopeAfter } from "../commands/command-group.ts"
import { LedgerStore } from "../commands/ledger-store.ts"
import { LedgerReader } from "../reading/ledger-reader.ts"
import { LedgerEvidence } from "../verification/ledger-evidence.ts"
import { Hashing } from "../../foundation/hashing.ts"
import { clockFault } from "../../foundation/recordable-time.ts"
import { RandomIds } from "../thoughts/random-ids.ts"
import { memoryEvidence } from "./memory-evidence.ts"
import { MemoryLedger } from "./memory-ledger.ts"
import { memoryReader } from "./memory-reader.ts"
import { MEMORY, memoryStore } from "./memory-store.ts"

/** Appends the first event, which gives a ledger its id. */
export const createdLedger = <L extends MemoryLedger>(
  ledger: L,
  ledgerId: string
): Effect.Effect<L, StorageFailure, Hashing> =>
  Effect.gen(function* () {
    const { sha256 } = yield* Hashing
    const now = yield* Clock.currentTimeMillis
    const fault = clockFault(now)
    if (fault !== undefined) {
      return yield* new StorageFailure({ file: MEMORY, code: fault._tag, reason: fault.message })
    }
    const created = {
      type: "LedgerCreated",
      stream_id: LEDGER_STREAM,
      data: jcsText({ ledger_id: ledgerId })
    } as const
    ledger.append(envelopeAfter(sha256, EMPTY_HEAD, timestampFromMillis(now), created))
    return ledger
  })

/** The three ports on a ledger. */
export const portsOfMemory = (
  ledger: MemoryLedger,
  ledgerId: string
): Layer.Layer<LedgerStore | LedgerReader | LedgerEvidence> =>
  Layer.mergeAll(
    Layer.succeed(LedgerStore, memoryStore(ledger, ledgerId)),
    Layer.succeed(LedgerReader, memoryReader(ledger)),
    Layer.succeed(LedgerEvidence, memoryEvidence(ledger))
  )

/** The ports of a new ledger in memory. */
export const memoryPorts: Layer.Layer<
  LedgerStore | LedgerReader | LedgerEvidence,
  StorageFailure,
  Hashing | RandomIds
> = Layer.unwrap(
  Effect.gen(function* () {
    const { sha256 } = yield* Hashing
    const { uuid } = yield* RandomIds
    const ledgerId = uuid()
    return portsOfMemory(yield* createdLedger(new MemoryLedger(sha256), ledgerId), ledgerId)
  })
)
