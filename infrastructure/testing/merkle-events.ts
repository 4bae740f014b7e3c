/**
 * A log of events in memory behind the reader's port, with a real hash chain, that a test can lengthen, cut and rewrite;
 * and the Merkle port on a file over it. What is not needed of the reader dies when it is called.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LedgerReader } from "../../application/ledger/reading/ledger-reader.ts"
import { bytesOfHex } from "../../domain/canonical/bytes.ts"
import { EMPTY_HEAD, eventHash, type EventEnvelope, headOf } from "../../domain/ledger/event-envelope.ts"
import { sha256 } from "../hashing/node-hashing.ts"
import { nodeSigningLayer } from "../keys/ed25519.ts"
import { merkleFileLayer } from "../ledger/merkle/merkle-file-log.ts"

/** Chained events whose content follows from `label` and their position. */
export const chainedEvents = (
  count: number,
  label: string,
  before: ReadonlyArray<EventEnvelope> = []
): ReadonlyArray<EventEnvelope> => {
  const events = [...before]
  while (events.length < count) {
    const event = {
      position: events.length + 1,
      type: "Sample",
      stream_id: "ledger",
      schema_version: 1,
      data: JSON.stringify({ label }),
      recorded_at: "2026-11-27T10:00:00.000Z",
      prev_hash: (events.at(-1) ?? EMPTY_HEAD).hash
    }
    events.push({ ...event, hash: eventHash(sha256, event) })
  }
  return events
}

/** The leaf inputs of events. */
export const inputsOf = (events: ReadonlyArray<EventEnvelope>): ReadonlyArray<Uint8Array> =>
  events.map(({ hash }) => bytesOfHex(hash)!)

/** A log that a test can replace, and how many events were read from it. */
export interface SampleLog {
  events: ReadonlyArray<EventEnvelope>
  read: number
}

/** A log that has these events, of which none was read yet. */
export const logOf = (events: ReadonlyArray<EventEnvelope>): SampleLog => ({ events, read: 0 })

/** The Merkle port on a ledger's file name, and the reader of a sample log. */
export const merkleOver = (ledgerFile: string, log: SampleLog) => {
  const reader = Layer.mock(LedgerReader, {
    head: Effect.sync(() => {
      const last = log.events.at(-1)
      return last === undefined ? EMPTY_HEAD : headOf(last)
    }),
    events: (after, limit) =>
      Effect.sync(() => {
        const page = log.events.slice(after, after + limit)
        log.read += page.length
        return page
      })
  })
  return merkleFileLayer(ledgerFile).pipe(Layer.provideMerge(Layer.merge(reader, nodeSigningLayer)))
}
