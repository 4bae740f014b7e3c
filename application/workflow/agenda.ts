// What is to be done at a time: clocks that ring, leases that end, memory that is let go. One fiber sleeps until the earliest of
// them on Effect's Clock, and does not wake before; a test that adjusts the clock by a month wakes it once for each.
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { DueList } from "../../domain/workflow/due-list.ts"

/** Sleeps until a time, in milliseconds since 1970: the clock is asked where the sleep begins, since a test may move it before. */
export const sleepUntil = (due: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Duration.millis(Math.max(0, due - now))))

export class Agenda {
  private readonly due = new DueList()
  private readonly actions = new Map<string, Effect.Effect<void>>()
  private earlier = Deferred.makeUnsafe<void>()

  /** Does `action` at a time, in milliseconds since 1970, in place of what the key named before. */
  add(key: string, due: number, action: Effect.Effect<void>): void {
    this.due.add(key, due)
    this.actions.set(key, action)
    if (this.due.first?.id === key) Deferred.doneUnsafe(this.earlier, Effect.void)
  }

  remove(key: string): void {
    this.due.delete(key)
    this.actions.delete(key)
  }

  /** Does what falls due, each by `start`, for as long as it runs. */
  run(start: (action: Effect.Effect<void>) => void): Effect.Effect<never> {
    return Effect.gen({ self: this }, function* () {
      while (true) {
        this.earlier = Deferred.makeUnsafe<void>()
        const now = yield* Clock.currentTimeMillis
        for (let next = this.due.first; next !== undefined && next.due <= now; next = this.due.first) {
          const action = this.actions.get(next.id)
          this.remove(next.id)
          if (action !== undefined) start(action)
        }
        const next = this.due.first
        const changed = Deferred.await(this.earlier)
        yield* next === undefined ? changed : Effect.raceFirst(sleepUntil(next.due), changed)
      }
    })
  }
}
