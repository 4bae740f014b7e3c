// From what a person typed to the one thing that it names. What is named exactly is preferred to what begins so; several of either
// are told with the texts that name each alone.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { meantBy } from "../../domain/canonical/meant-by.ts"
import { AmbiguousPrefix } from "../../domain/foundation/errors.ts"
import { IDS_OF_PREFIX } from "../../domain/foundation/id-prefix.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import { explicitId, type Numbered, readingsOf } from "../../domain/history/id-readings.ts"
import { jobIdOf, messageIdPrefix, stepIdOf } from "../../domain/ledger/ids.ts"
import type { IdKind } from "../../domain/ledger/lists.ts"
import type { LedgerShape } from "../ledger/ledger.ts"

/** What an id names. */
export type Found =
  | { readonly kind: IdKind; readonly id: string }
  | { readonly kind: "event"; readonly position: number }

const nameOf = (found: Found): string =>
  explicitId(found.kind, found.kind === "event" ? String(found.position) : found.id)

/** The job or step with these numbers. */
const numberedId = Effect.fnUntraced(function* (
  ledger: LedgerShape,
  { job, kind, position, step }: Numbered
) {
  const [message_id] = yield* ledger.ids({ kind: "message", prefix: messageIdPrefix(position), limit: 1 })
  if (message_id === undefined) return []
  const job_id = jobIdOf(message_id, job)
  const id = kind === "job" ? job_id : stepIdOf(job_id, step)
  const [found] = yield* ledger.ids({ kind, prefix: id, limit: 1 })
  return found === id ? [{ kind, id } satisfies Found] : []
})

/** The first ids of a kind that begin with a text. */
const begunWith = Effect.fnUntraced(function* (ledger: LedgerShape, kind: IdKind, prefix: string) {
  const ids = yield* ledger.ids({ kind, prefix, limit: IDS_OF_PREFIX })
  return ids.map((id): Found => ({ kind, id }))
})

/** The one thing that a text names. */
export const foundId = Effect.fnUntraced(function* (ledger: LedgerShape, text: string) {
  const { id, kinds, numbered, position } = readingsOf(text)
  const head = yield* ledger.head
  const begun = (yield* Effect.forEach(kinds, (kind) => begunWith(ledger, kind, id))).flat()
  const exact: ReadonlyArray<Found> = [
    ...(position !== undefined && position <= head.position ? [{ kind: "event", position } as const] : []),
    ...(numbered === undefined ? [] : yield* numberedId(ledger, numbered)),
    ...begun.filter((found) => found.kind !== "event" && found.id === id)
  ]
  const meant = exact.length > 0 ? exact : begun
  const [first] = meant
  if (first === undefined) return yield* new IdNotFound({ id: text })
  if (meant.length === 1) return first
  const several = meantBy("", meant.map(nameOf), IDS_OF_PREFIX - 1)
  return yield* Result.isFailure(several)
    ? new AmbiguousPrefix({ prefix: text, ...several.failure })
    : new IdNotFound({ id: text })
})
