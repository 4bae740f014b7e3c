// Several streams of the log as one, in the order of the log: page by page, with a page of each stream in memory.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"

const PAGE = 500

/** Reads a page of a stream behind a position; none only at its end. */
export type ReadPage<E> = (after: number, limit: number) => Effect.Effect<ReadonlyArray<EventEnvelope>, E>

interface Place<E> {
  readonly read: ReadPage<E>
  readonly after: number
  readonly waiting: ReadonlyArray<EventEnvelope>
  readonly isEnded: boolean
}

/** Reads on where nothing waits any more. */
const filled = <E>(place: Place<E>): Effect.Effect<Place<E>, E> =>
  place.waiting.length > 0 || place.isEnded
    ? Effect.succeed(place)
    : Effect.map(place.read(place.after, PAGE), (waiting) => ({
        ...place,
        waiting,
        after: waiting.at(-1)?.position ?? place.after,
        isEnded: waiting.length === 0
      }))

/** The events of all streams behind a position, up to the newest of each. */
export const mergedEvents = <E>(
  streams: ReadonlyArray<ReadPage<E>>,
  after: number
): Stream.Stream<EventEnvelope, E> =>
  Stream.paginate(
    streams.map((read): Place<E> => ({ read, after, waiting: [], isEnded: false })),
    Effect.fnUntraced(function* (places) {
      const known = yield* Effect.forEach(places, filled)
      // Behind the end of the shortest page another event may be missing yet.
      const until = Math.min(
        ...known.map(({ waiting }) => waiting.at(-1)?.position ?? Number.MAX_SAFE_INTEGER)
      )
      const ready = known
        .flatMap(({ waiting }) => waiting.filter(({ position }) => position <= until))
        .sort((left, right) => left.position - right.position)
      const left = known.map(({ after: behind, isEnded, read, waiting }): Place<E> => {
        const rest = waiting.filter(({ position }) => position > until)
        return { read, after: behind, waiting: rest, isEnded }
      })
      const isEnd = left.every(({ isEnded, waiting }) => isEnded && waiting.length === 0)
      return [ready, isEnd ? Option.none<Array<Place<E>>>() : Option.some(left)] as const
    })
  )
