// The events of a choice as a ledger has them, in the order of their positions: several streams read page by page and merged, so that
// memory stays flat.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isChosen } from "../../domain/dossiers/event-judge.ts"
import type { DossierChoice } from "../../domain/dossiers/manifest.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { StoreCorrupt } from "../../domain/ledger/errors.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import { decodeEvent } from "../../domain/ledger/events.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import type { ReadError } from "../ledger/reading/ledger-reader.ts"

/** Most events of one page. */
const PAGE = 500

/** Fewest events that are read of one stream at a time, where there are many. */
const LEAST_PAGE = 10

interface StreamCursor {
  readonly of: { readonly run_id: string } | { readonly task_id: string }
  after: number
  read: ReadonlyArray<EventEnvelope>
  taken: number
  isAtEnd: boolean
}

const cursorsOf = ({ run_id, tasks }: DossierChoice): ReadonlyArray<StreamCursor> => {
  const start = { after: 0, read: [], taken: 0, isAtEnd: false }
  return [
    ...(run_id === null ? [] : [{ of: { run_id }, ...start }]),
    ...tasks.map((task_id) => ({ of: { task_id }, ...start }))
  ]
}

/** Takes events in order until a stream that goes on has to be read. */
const merged = (cursors: ReadonlyArray<StreamCursor>): ReadonlyArray<EventEnvelope> => {
  const page: Array<EventEnvelope> = []
  while (page.length < PAGE) {
    let lowest: StreamCursor | undefined
    let next: EventEnvelope | undefined
    for (const cursor of cursors) {
      const event = cursor.read[cursor.taken]
      if (event === undefined && !cursor.isAtEnd) return page
      if (event === undefined || (next !== undefined && next.position <= event.position)) continue
      lowest = cursor
      next = event
    }
    if (lowest === undefined || next === undefined) return page
    page.push(next)
    lowest.taken += 1
  }
  return page
}

const refill = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  cursor: StreamCursor,
  limit: number
): Effect.fn.Return<void, ReadError | InvalidInput> {
  const read = yield* ledger.eventsAfter({ ...cursor.of, after: cursor.after, limit })
  const last = read.at(-1)
  if (last !== undefined && !(Number.isSafeInteger(last.position) && last.position > cursor.after)) {
    const where = `event ${last.position}`
    return yield* new StoreCorrupt({ code: "CHAIN_BROKEN", where, finding: "no position can follow here" })
  }
  cursor.read = read
  cursor.taken = 0
  cursor.isAtEnd = last === undefined
  cursor.after = last?.position ?? cursor.after
})

/** Gives the chosen events of a ledger page by page, in order; an empty page is the end. */
export const chosenEvents = (
  ledger: LedgerShape,
  choice: DossierChoice
): Effect.Effect<ReadonlyArray<EventEnvelope>, ReadError | InvalidInput> => {
  const cursors = cursorsOf(choice)
  const limit = Math.max(LEAST_PAGE, Math.floor(PAGE / Math.max(1, cursors.length)))
  const chosen = isChosen(choice)
  const isWanted = (event: EventEnvelope): boolean => {
    if (choice.jobs === null) return true
    const decoded = decodeEvent(event)
    // What cannot be read is for its judge to refuse.
    return Result.isFailure(decoded) || chosen(decoded.success)
  }
  return Effect.gen(function* () {
    while (true) {
      for (const cursor of cursors) {
        if (cursor.taken === cursor.read.length && !cursor.isAtEnd) yield* refill(ledger, cursor, limit)
      }
      const page = merged(cursors)
      const wanted = page.filter(isWanted)
      if (page.length === 0 || wanted.length > 0) return wanted
    }
  })
}
