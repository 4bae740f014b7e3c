// Tells those who wait in this process that something was committed. It carries no events, only the news: the
// events are read from the store, so that nobody can see what was not committed.
import * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export class CommitSignal {
  private next = Deferred.makeUnsafe<number>()

  /** Wakes everybody who waits, with the position of the newest event. */
  publish(position: number): void {
    const waiting = this.next
    this.next = Deferred.makeUnsafe<number>()
    Deferred.doneUnsafe(waiting, Exit.succeed(position))
  }

  /** Ends at the next commit of this process; take it before reading, so that no commit is missed. */
  wait(): Effect.Effect<number> {
    return Deferred.await(this.next)
  }
}
