// Of which moment an answer is: the newest event when it was asked for, and the time.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import type { Moment } from "../../domain/inspection/answers.ts"
import { LedgerReader } from "../ledger/reading/ledger-reader.ts"

export const moment = Effect.gen(function* () {
  const { hash, position, recorded_at = null } = yield* (yield* LedgerReader).head
  const now = nearestTimestamp(yield* Clock.currentTimeMillis)
  const answer: Moment = { as_of: { position, hash, time: recorded_at }, now }
  return answer
})
