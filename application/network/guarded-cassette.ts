// What stands between the hub and a store that a host plugged in. Every misdeed of the store (it throws, dies, hangs, interrupts
// itself, answers another shape, claims a hash that is not its content's, speaks another version) becomes CassetteOffline
// within its deadline, so that it costs the question nothing but the store's own part.
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { CassetteOffline } from "../../domain/network/errors.ts"
import type { IndexAnswers, IndexRequest, RankingOp } from "../../domain/network/index-requests.ts"
import { DEFAULT_DEADLINE_MILLIS } from "../../domain/network/limits.ts"
import {
  type AnswerFault,
  judgeHandshake,
  judgeHits,
  judgeIndexAnswer,
  judgeStats
} from "../../domain/network/store-answers.ts"
import { faultOf } from "./search/query-session.ts"
import { within } from "./within.ts"
import { type Cassette, isFileIndex, isIndexStore, type PlainStore } from "./cassette.ts"

/** A failure as the store's own; what is none of ours is a fault of its program. */
const failureOf = (id: string, error: unknown): CassetteOffline =>
  error instanceof CassetteOffline
    ? new CassetteOffline({ cassette_id: id, status: error.status, reason: error.reason })
    : faultOf(id, error)

/** The store with every answer judged; the hub's own adapters as they are. */
export const guardedCassette = (cassette: Cassette, sha256: Sha256): Cassette => {
  if (isFileIndex(cassette)) return cassette
  const { cassetteId: id, deadlineMillis: millis = DEFAULT_DEADLINE_MILLIS, inProcess } = cassette

  const asked = <A>(
    ask: () => Effect.Effect<unknown, unknown>,
    judge: (answer: unknown) => Result.Result<A, AnswerFault>
  ): Effect.Effect<A, CassetteOffline> =>
    Effect.gen(function* () {
      const work = Effect.map(Effect.suspend(ask), judge).pipe(
        Effect.catchDefect((defect) => Effect.fail(defect)),
        Effect.result
      )
      const ended = yield* within(work, millis)
      const offline = (fault: AnswerFault | { readonly status: "timeout"; readonly reason: string }) =>
        new CassetteOffline({ cassette_id: id, ...fault })
      if (Option.isNone(ended)) {
        return yield* offline({ status: "timeout", reason: `no answer within ${millis} ms` })
      }
      // It interrupted itself, or is nothing that can be run.
      if (Exit.isFailure(ended.value)) {
        return yield* offline({ status: "error", reason: "its program ended without an answer" })
      }
      const answer = ended.value.value
      if (Result.isFailure(answer)) return yield* failureOf(id, answer.failure)
      if (Result.isFailure(answer.success)) return yield* offline(answer.success.failure)
      return answer.success.success
    })

  const handshake = asked(
    () => cassette.handshake,
    (answer) => judgeHandshake(id, answer)
  )
  let isAdmitted = false
  /** Nothing is asked of a store before its handshake was found good once. */
  const admitted = <A>(ask: Effect.Effect<A, CassetteOffline>): Effect.Effect<A, CassetteOffline> =>
    Effect.suspend(() =>
      isAdmitted
        ? ask
        : Effect.flatMap(handshake, () => {
            isAdmitted = true
            return ask
          })
    )

  const store: PlainStore = {
    cassetteId: id,
    inProcess,
    handshake,
    getStats: admitted(asked(() => cassette.getStats, judgeStats)),
    query: (text, topK) =>
      admitted(
        asked(
          () => cassette.query(text, topK),
          (answer) => judgeHits(sha256, topK, answer)
        )
      ),
    close: Effect.asVoid(
      within(
        Effect.suspend(() => cassette.close),
        millis
      )
    )
  }
  if (!isIndexStore(cassette)) return store
  return {
    ...store,
    askIndex: <Op extends RankingOp>(request: Extract<IndexRequest, { readonly op: Op }>) =>
      admitted(
        asked<IndexAnswers[Op]>(
          () => cassette.askIndex(request),
          (answer) => judgeIndexAnswer(sha256, request, answer)
        )
      )
  }
}
