// A dossier held against a ledger: each event is the ledger's, and none that belongs to what was chosen was left out. What the ledger
// got behind the checkpoint is no fault, and is counted.
import * as Effect from "effect/Effect"
import type { DossierEvent } from "../../domain/dossiers/event-lines.ts"
import { eventLine, isWithheld, withheldEvent } from "../../domain/dossiers/event-lines.ts"
import type { DossierFindings } from "../../domain/dossiers/finding.ts"
import type { DossierManifest } from "../../domain/dossiers/manifest.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { Hashing } from "../foundation/hashing.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"
import { chosenEvents } from "./chosen-events.ts"

/** What a comparison has found. */
export interface Compared {
  readonly complete: boolean
  readonly newer_events: number
}

/** A comparison that goes on as the events of a dossier pass by. */
export interface LedgerComparison<E> {
  readonly take: (events: ReadonlyArray<DossierEvent>) => Effect.Effect<void, E>
  /** Takes what the ledger has behind the last event. */
  readonly end: Effect.Effect<Compared, E>
}

/** Begins to compare; a ledger with another id, or with fewer events than the checkpoint covers, is a finding. */
export const compareWithLedger = Effect.fnUntraced(function* (
  list: DossierFindings,
  manifest: DossierManifest,
  ledger: LedgerShape
): Effect.fn.Return<LedgerComparison<ReadError | InvalidInput>, ReadError, Hashing> {
  const { sha256 } = yield* Hashing
  const { checkpoint, choice, ledger_id } = manifest
  const { position: head } = yield* ledger.head
  if (ledger.ledgerId !== ledger_id) {
    list.add(
      "LEDGER_DIFFERS",
      "ledger",
      `it is ${ledger.ledgerId ?? "no ledger"}, the dossier is of ${ledger_id}`
    )
  } else if (head < checkpoint.size) {
    list.add("LEDGER_DIFFERS", "ledger", `it has ${head} events, the checkpoint covers ${checkpoint.size}`)
  }
  const nextPage = chosenEvents(ledger, choice)
  let page: ReadonlyArray<EventEnvelope> = []
  let at = 0
  let isAtEnd = false
  let complete = true

  /** The ledger's next event, which is not taken. */
  const peek = Effect.gen(function* () {
    if (at === page.length && !isAtEnd) {
      page = yield* nextPage
      at = 0
      isAtEnd = page.length === 0
    }
    return page[at]
  })
  const leftOut = ({ position, type }: EventEnvelope) => {
    complete = false
    list.add("EVENT_LEFT_OUT", `event ${position}`, `the ledger has this ${type}, the dossier has not`)
  }
  const isSame = (event: DossierEvent, stored: EventEnvelope): boolean => {
    const shown = isWithheld(event) ? withheldEvent(sha256, stored) : stored
    return shown !== undefined && eventLine(shown) === eventLine(event)
  }
  const compare = Effect.fnUntraced(function* (event: DossierEvent) {
    let stored = at < page.length ? page[at] : yield* peek
    while (stored !== undefined && stored.position < event.position) {
      leftOut(stored)
      at += 1
      stored = yield* peek
    }
    const where = `event ${event.position}`
    if (stored === undefined || stored.position > event.position) {
      list.add("EVENT_DIFFERS", where, "the ledger has no such event in what was chosen")
      return
    }
    at += 1
    if (!isSame(event, stored)) list.add("EVENT_DIFFERS", where, "the ledger has another event there")
  })
  return {
    take: (events) => Effect.forEach(events, compare, { discard: true }),
    end: Effect.gen(function* () {
      let newer_events = 0
      for (let stored = yield* peek; stored !== undefined; stored = yield* peek) {
        if (stored.position > checkpoint.size) newer_events += 1
        else leftOut(stored)
        at += 1
      }
      return { complete, newer_events }
    })
  }
})
