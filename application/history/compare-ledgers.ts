// Two ledgers, or a ledger and a backup: which events both have, where they part, and what each has beyond that. Every field of every
// event is compared, not hashes alone, since a file may have been changed without its hashes. Tables are not looked at: each ledger's
// verification holds them against its log.
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { LedgerComparison, LedgerSide } from "../../domain/history/errors.ts"
import { Timeline } from "../../domain/history/timeline.ts"
import type { EventEnvelope } from "../../domain/ledger/event-envelope.ts"
import type { LedgerShape } from "../ledger/ledger.ts"
import { traced } from "../foundation/telemetry.ts"

const PAGE = 1_000

const isSame = (left: EventEnvelope, right: EventEnvelope): boolean =>
  left.position === right.position &&
  left.hash === right.hash &&
  left.prev_hash === right.prev_hash &&
  left.data === right.data &&
  left.type === right.type &&
  left.stream_id === right.stream_id &&
  left.schema_version === right.schema_version &&
  left.recorded_at === right.recorded_at

/** The newest event up to which both logs are the same. */
const lastCommon = Effect.fnUntraced(function* (left: LedgerShape, right: LedgerShape) {
  let common: EventEnvelope | undefined
  while (true) {
    const after = common?.position ?? 0
    const lefts = yield* left.eventsAfter({ after, limit: PAGE })
    const rights = yield* right.eventsAfter({ after, limit: PAGE })
    for (const [index, event] of lefts.entries()) {
      const other = rights[index]
      // A page may be shorter than the other one because it holds much text.
      if (other === undefined) break
      if (!isSame(event, other)) return common
      common = event
    }
    if (common === undefined || common.position === after) return common
    yield* Effect.yieldNow
  }
})

const sideOf = Effect.fnUntraced(function* (ledger: LedgerShape, common: number, limit: number) {
  const { hash, position } = yield* ledger.head
  const timeline = new Timeline()
  const beyond = yield* ledger
    .events({ after: common, live: false })
    .pipe(Stream.take(limit), Stream.runCollect)
  return {
    ledger_id: ledger.ledgerId ?? null,
    position,
    hash,
    events_beyond: Math.max(0, position - common),
    first_beyond: beyond.map((event) => timeline.entry(event))
  } satisfies LedgerSide
})

const verdictOf = (left: LedgerSide, right: LedgerSide): LedgerComparison["verdict"] => {
  if (left.events_beyond > 0 && right.events_beyond > 0) return "PARTED"
  if (left.events_beyond > 0) return "LEFT_HAS_MORE"
  return right.events_beyond > 0 ? "RIGHT_HAS_MORE" : "SAME"
}

/** How the logs of two ledgers stand to each other, with at most `limit` events of what each has beyond the other. */
export const compareLedgers = traced("cassette.history.compareLedgers")(function* (
  left: LedgerShape,
  right: LedgerShape,
  limit: number
) {
  const common = yield* lastCommon(left, right)
  const position = common?.position ?? 0
  const lefts = yield* sideOf(left, position, limit)
  const rights = yield* sideOf(right, position, limit)
  return {
    verdict: verdictOf(lefts, rights),
    common: { position, hash: common?.hash ?? null },
    left: lefts,
    right: rights
  } satisfies LedgerComparison
})
