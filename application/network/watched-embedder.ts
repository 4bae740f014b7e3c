// An embedder as the hub asks it. What it does wrong (fail, throw, hang, answer other vectors than were asked for) is a typed
// failure within a bounded time, so that a question goes on by words; the last failure is kept with its time, to be told.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import { EmbedderFailed } from "../../domain/network/errors.ts"
import type { EmbedderIdentity } from "../../domain/network/vectors.ts"
import type { EmbedderShape } from "./embedder.ts"
import { within } from "./within.ts"

/** How long a question, and a look at the embedder's state, wait (milliseconds). */
const QUESTION_DEADLINE_MILLIS = 30_000
const PROBE_DEADLINE_MILLIS = 5_000

/** Why and when some texts got no vectors. */
export interface EmbedderFailure {
  readonly at: string
  readonly reason: string
}

/** How an embedder is: it was given one text, and answered, failed, or has not answered yet. */
export interface EmbedderHealth extends EmbedderIdentity {
  readonly status: "ok" | "failed" | "late"
  readonly took_ms: number
  /** Why there is no vector; absent where there is one. */
  readonly reason?: string
  /** The last failure since the network was opened, this one included; null when there was none. */
  readonly last_failure: EmbedderFailure | null
}

export interface WatchedEmbedder extends EmbedderShape {
  /** Asks it for one vector, for at most so long (milliseconds; 5,000 by default). */
  readonly health: (deadlineMillis?: number) => Effect.Effect<EmbedderHealth>
}

const PROBE_TEXT = "A text that is embedded to see whether the embedder answers."

type Ending =
  | { readonly status: "ok"; readonly vectors: ReadonlyArray<Float32Array> }
  | { readonly status: "failed" | "late"; readonly reason: string }

/** What was thrown, as text; not everything that can be thrown has one. */
const thrownText = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return "an error without a text"
  }
}

/** One batch, judged; everything but an interruption is an ending. */
const embedOnce = ({ embed, identity }: EmbedderShape, texts: ReadonlyArray<string>): Effect.Effect<Ending> =>
  Effect.suspend(() => embed(texts)).pipe(
    Effect.match({
      onFailure: ({ reason }): Ending => ({ status: "failed", reason }),
      onSuccess: (vectors): Ending =>
        vectors.length === texts.length && vectors.every(({ length }) => length === identity.dimensions)
          ? { status: "ok", vectors }
          : {
              status: "failed",
              reason: `it must answer ${texts.length} vectors of ${identity.dimensions} numbers`
            }
    }),
    Effect.catchDefect((defect) =>
      Effect.succeed<Ending>({ status: "failed", reason: `its program failed with ${thrownText(defect)}` })
    )
  )

/** The embedder with its last failure kept, each batch awaited for so long (milliseconds). */
export const watchedEmbedder = (
  embedder: EmbedderShape,
  deadlineMillis: number = QUESTION_DEADLINE_MILLIS
): WatchedEmbedder => {
  const { identity } = embedder
  let lastFailure: EmbedderFailure | null = null

  const ask = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, millis: number) {
    const ended = yield* within(embedOnce(embedder, texts), millis)
    const ending: Ending = Option.match(ended, {
      onNone: () => ({
        status: "late",
        reason: `no answer within ${millis} ms: it is loading its model, or it hangs`
      }),
      onSome: Exit.match({
        onFailure: (): Ending => ({ status: "failed", reason: "it was interrupted before it answered" }),
        onSuccess: (answered) => answered
      })
    })
    if (ending.status !== "ok") {
      lastFailure = { at: nearestTimestamp(yield* Clock.currentTimeMillis), reason: ending.reason }
    }
    return ending
  })

  return {
    identity,
    embed: Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
      const ending = yield* ask(texts, deadlineMillis)
      return ending.status === "ok"
        ? ending.vectors
        : yield* new EmbedderFailed({ model: identity.model, reason: ending.reason })
    }),
    health: Effect.fnUntraced(function* (millis: number = PROBE_DEADLINE_MILLIS) {
      const start = yield* Clock.monotonicTimeNanos
      const ending = yield* ask([PROBE_TEXT], millis)
      const took_ms = Math.round(Number((yield* Clock.monotonicTimeNanos) - start) / 1e6)
      const { status } = ending
      const { dimensions, model, normalizer, revision } = identity
      const found = { model, revision, dimensions, normalizer, status, took_ms, last_failure: lastFailure }
      return ending.status === "ok" ? found : { ...found, reason: ending.reason }
    })
  }
}
