// The cassettes of a network: they come and go while questions run. A question holds those that it began with, and one
// that was taken out or exchanged is closed when no question holds it any more, never before.
import * as Effect from "effect/Effect"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { isCassetteId } from "../../domain/network/cassette.ts"
import { CassetteExists, UnknownCassette } from "../../domain/network/errors.ts"
import { QuerySession } from "./search/query-session.ts"
import type { Cassette } from "./cassette.ts"
import { guardedCassette } from "./guarded-cassette.ts"

/** Cassettes by id, in the order of registration. */
export class Roster {
  registered: ReadonlyMap<string, Cassette> = new Map()
  private readonly running = new Map<Cassette, number>()
  private readonly leaving = new Set<Cassette>()
  private readonly sha256: Sha256

  constructor(sha256: Sha256) {
    this.sha256 = sha256
  }

  readonly ids = Effect.sync(() => [...this.registered.keys()])

  readonly register = Effect.fnUntraced(function* (this: Roster, cassette: Cassette) {
    const id = cassette.cassetteId
    if (!isCassetteId(id)) {
      return yield* Effect.fail(
        invalidAt("/cassette_id", "a lower-case letter, then letters, digits or hyphens")
      )
    }
    if (this.registered.has(id)) return yield* new CassetteExists({ cassette_id: id })
    this.registered = new Map([...this.registered, [id, guardedCassette(cassette, this.sha256)]])
  })

  readonly unregister = Effect.fnUntraced(function* (this: Roster, id: string) {
    const cassette = this.registered.get(id)
    if (cassette === undefined) {
      return yield* new UnknownCassette({ cassettes: [id], known: [...this.registered.keys()] })
    }
    this.registered = new Map([...this.registered].filter(([each]) => each !== id))
    yield* this.leave(cassette)
  })

  readonly swap = Effect.fnUntraced(function* (this: Roster, cassette: Cassette) {
    const before = this.registered.get(cassette.cassetteId)
    if (before === undefined) {
      return yield* this.register(cassette).pipe(Effect.catchTag("CassetteExists", () => Effect.void))
    }
    const after = guardedCassette(cassette, this.sha256)
    this.registered = new Map([...this.registered, [after.cassetteId, after]])
    yield* this.leave(before)
  })

  /** Closes a cassette once no question uses it. */
  private leave(cassette: Cassette): Effect.Effect<void> {
    if ((this.running.get(cassette) ?? 0) === 0) return cassette.close
    this.leaving.add(cassette)
    return Effect.void
  }

  private hold(cassettes: ReadonlyArray<Cassette>): void {
    for (const each of cassettes) this.running.set(each, (this.running.get(each) ?? 0) + 1)
  }

  private release(cassettes: ReadonlyArray<Cassette>): Effect.Effect<void> {
    return Effect.forEach(
      cassettes,
      (each) => {
        const left = (this.running.get(each) ?? 1) - 1
        if (left > 0) {
          this.running.set(each, left)
          return Effect.void
        }
        this.running.delete(each)
        return this.leaving.delete(each) ? each.close : Effect.void
      },
      { discard: true }
    )
  }

  /** Runs a question over cassettes that stay open until it ends. */
  using<A, E>(
    cassettes: ReadonlyArray<Cassette>,
    ask: (session: QuerySession) => Effect.Effect<A, E>
  ): Effect.Effect<A, E> {
    return Effect.acquireUseRelease(
      Effect.sync(() => this.hold(cassettes)),
      () => ask(new QuerySession(cassettes)),
      () => this.release(cassettes)
    )
  }

  /** The cassettes of a question: those with these ids, or all. */
  chosen(ids: ReadonlyArray<string> | undefined): ReadonlyArray<Cassette> | UnknownCassette | InvalidInput {
    if (ids === undefined) return [...this.registered.values()]
    if (ids.length === 0)
      return invalidAt("/cassettes", "name at least one cassette, or leave it out for all")
    const known = [...this.registered.keys()]
    const unknown = ids.filter((id) => !this.registered.has(id))
    if (unknown.length > 0) return new UnknownCassette({ cassettes: unknown, known })
    const asked = new Set(ids)
    return [...this.registered.values()].filter(({ cassetteId }) => asked.has(cassetteId))
  }

  /** Closes all of them. */
  readonly close = Effect.suspend(() =>
    Effect.forEach(this.registered.values(), ({ close }) => close, { discard: true })
  )
}
