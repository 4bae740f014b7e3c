// Asks several cassettes one thing and keeps who answered how: those with a process of their own together, those in
// this process one after another. A cassette that fails is left out of everything that follows; its failure is a
// status. What was failed once is not asked again within the same question.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CassetteAnswer } from "../../../domain/network/cassette.ts"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import {
  type Cassette,
  type FileIndex,
  type RankedIndex,
  isFileIndex,
  isIndexStore,
  type PlainStore
} from "../cassette.ts"

/** What one question asks of a store of some kind; undefined where there is nothing to ask. */
type Ask<Kind, A> = (cassette: Kind) => Effect.Effect<A, CassetteOffline> | undefined

/** A fault of a cassette's program, as the cassette's own failure: the others go on. */
export const faultOf = (cassette_id: string, defect: unknown): CassetteOffline => {
  const what = defect instanceof Error ? `${defect.name}: ${defect.message}` : typeof defect
  return new CassetteOffline({ cassette_id, status: "error", reason: `its program failed with ${what}` })
}

const unfinishedText = (id: string): string =>
  `an index run of it was begun and has not come to its end, so that it may have only a part of its sources: cortex network index ${id} completes it`

/** How the cassettes of one question have answered so far. */
export class QuerySession {
  private readonly failures = new Map<string, CassetteOffline>()
  private readonly unfinished = new Set<string>()
  private readonly took = new Map<string, number>()
  private readonly cassettes: ReadonlyArray<Cassette>

  constructor(cassettes: ReadonlyArray<Cassette>) {
    this.cassettes = cassettes
  }

  /** The cassettes that have not failed. */
  get answering(): ReadonlyArray<Cassette> {
    return this.cassettes.filter(({ cassetteId }) => !this.failures.has(cassetteId))
  }

  private readonly one = Effect.fnUntraced(function* <A>(
    this: QuerySession,
    cassette: Cassette,
    ask: Ask<Cassette, A>
  ) {
    const asked = ask(cassette)
    if (asked === undefined) return []
    const start = yield* Clock.monotonicTimeNanos
    const answer = yield* Effect.result(
      Effect.catchDefect(asked, (defect) => Effect.fail(faultOf(cassette.cassetteId, defect)))
    )
    const millis = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
    this.took.set(cassette.cassetteId, (this.took.get(cassette.cassetteId) ?? 0) + millis)
    if (answer._tag === "Success") return [[cassette.cassetteId, answer.success] as const]
    this.failures.set(cassette.cassetteId, answer.failure)
    return []
  })

  /** Asks every cassette that has not failed; `ask` gives undefined where there is nothing to ask. */
  readonly each = Effect.fnUntraced(function* <A>(this: QuerySession, ask: Ask<Cassette, A>) {
    const { answering } = this
    const apart = answering.filter(({ inProcess }) => !inProcess)
    const here = answering.filter(({ inProcess }) => inProcess)
    const askAll = (cassettes: ReadonlyArray<Cassette>, concurrency: number | "unbounded") =>
      Effect.forEach(cassettes, (cassette) => this.one(cassette, ask), { concurrency })
    // The children start first and work while this process reads its own.
    const [ofApart, ofHere] = yield* Effect.all([askAll(apart, "unbounded"), askAll(here, 1)], {
      concurrency: "unbounded"
    })
    const found = new Map([...ofApart, ...ofHere].flat())
    // In the order of the network, no matter which was first.
    return new Map(
      answering.flatMap(({ cassetteId }) => {
        const answer = found.get(cassetteId)
        return answer === undefined ? [] : [[cassetteId, answer] as const]
      })
    )
  })

  /** Asks the indexes that have not failed. */
  eachIndex<A>(ask: Ask<RankedIndex, A>): Effect.Effect<ReadonlyMap<string, A>> {
    return this.each((cassette) => (isIndexStore(cassette) ? ask(cassette) : undefined))
  }

  /** Asks the files of cassettes that have not failed. */
  eachFile<A>(ask: Ask<FileIndex, A>): Effect.Effect<ReadonlyMap<string, A>> {
    return this.each((cassette) => (isFileIndex(cassette) ? ask(cassette) : undefined))
  }

  /** Asks the stores that are no index and have not failed. */
  eachPlain<A>(ask: Ask<PlainStore, A>): Effect.Effect<ReadonlyMap<string, A>> {
    return this.each((cassette) => (isIndexStore(cassette) ? undefined : ask(cassette)))
  }

  /**
   * Does work of several steps again as long as a cassette fails in it: the outcome is that of the cassettes that
   * answered to its end, as if the others had never been asked. Each repetition has at least one cassette less.
   */
  steadily<A>(work: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      const failed = this.failures.size
      return Effect.flatMap(work, (outcome) =>
        this.failures.size === failed ? Effect.succeed(outcome) : this.steadily(work)
      )
    })
  }

  /** Keeps which cassettes said that their last index run has not come to its end. */
  noteUnfinished(answers: ReadonlyMap<string, { readonly unfinished?: true }>): void {
    for (const [id, { unfinished }] of answers) if (unfinished === true) this.unfinished.add(id)
  }

  /** Why a cassette failed, if it did. */
  failureOf(id: string): CassetteOffline | undefined {
    return this.failures.get(id)
  }

  /** How every cassette answered. */
  answers(): Readonly<Record<string, CassetteAnswer>> {
    return Object.fromEntries(
      this.cassettes.map(({ cassetteId }): readonly [string, CassetteAnswer] => {
        const failure = this.failures.get(cassetteId)
        const took_ms = Math.round(1e3 * (this.took.get(cassetteId) ?? 0)) / 1e3
        if (failure !== undefined) {
          return [cassetteId, { status: failure.status, took_ms, reason: failure.reason }]
        }
        return [
          cassetteId,
          this.unfinished.has(cassetteId)
            ? { status: "partial", took_ms, reason: unfinishedText(cassetteId) }
            : { status: "ok", took_ms }
        ]
      })
    )
  }
}
