// The embedder of a network, which may be put in another's place while questions run: each question ends on the one that
// it began with, and an embedder is retired once no question uses it any more, never before.
import * as Effect from "effect/Effect"
import type { EmbedderShape } from "./embedder.ts"
import { type WatchedEmbedder, watchedEmbedder } from "./watched-embedder.ts"

interface EmbedderLease {
  readonly embedder: WatchedEmbedder | undefined
  readonly retire: Effect.Effect<void>
  questions: number
  isOver: boolean
}

const leaseOf = (embedder: EmbedderShape | undefined, retire: Effect.Effect<void>): EmbedderLease => ({
  embedder: embedder === undefined ? undefined : watchedEmbedder(embedder),
  retire,
  questions: 0,
  isOver: false
})

export class EmbedderInUse {
  private current: EmbedderLease

  constructor(embedder: EmbedderShape | undefined) {
    this.current = leaseOf(embedder, Effect.void)
  }

  /** Puts another in its place, or none; `retire` is run when that one is no longer needed. */
  swap(embedder: EmbedderShape | undefined, retire: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const before = this.current
      this.current = leaseOf(embedder, retire)
      before.isOver = true
      return before.questions === 0 ? before.retire : Effect.void
    })
  }

  /** Runs a question on the embedder that is there now. */
  using<A, E>(ask: (embedder: WatchedEmbedder | undefined) => Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        this.current.questions += 1
        return this.current
      }),
      ({ embedder }) => ask(embedder),
      (lease) => {
        lease.questions -= 1
        return lease.isOver && lease.questions === 0 ? lease.retire : Effect.void
      }
    )
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => this.swap(undefined, Effect.void))
}
