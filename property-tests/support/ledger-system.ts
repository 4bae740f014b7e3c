// The real ledger for model-based properties: on a fresh database with a clock that the property sets, opened
// again as often as the property likes. It answers in the model's words and judges nothing.

import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { LedgerShape } from "../../application/ledger/ledger.ts"
import { openLedger } from "../../application/ledger/testing/ledgers.ts"
import {
  makeManualClock,
  type ManualClock,
  withClock
} from "../../application/ledger/testing/manual-clock.ts"
import type { Answer, Command } from "./ledger-model.ts"

/** 2026-11-27T00:00:00.000Z: when every property begins. */
export const START = 1_795_737_600_000

export class LedgerSystem {
  readonly clock: ManualClock = makeManualClock(START)
  readonly #filename: string
  #scope: Scope.Closeable | undefined
  #ledger: LedgerShape | undefined

  constructor(filename = ":memory:") {
    this.#filename = filename
  }

  get ledger(): LedgerShape {
    if (this.#ledger === undefined) throw new Error("the ledger is not open")
    return this.#ledger
  }

  async open(): Promise<void> {
    const scope = Scope.makeUnsafe()
    this.#scope = scope
    const opening = openLedger({ filename: this.#filename, durability: "normal" })
    this.#ledger = await Effect.runPromise(
      opening.pipe(Effect.provideService(Scope.Scope, scope), withClock(this.clock))
    )
  }

  async close(): Promise<void> {
    if (this.#scope !== undefined) await Effect.runPromise(Scope.close(this.#scope, Exit.void))
    this.#ledger = undefined
  }

  run<A, E>(effect: Effect.Effect<A, E>): Promise<A> {
    return Effect.runPromise(withClock(this.clock)(effect))
  }

  /** Gives the commands to the ledger all at once, in order; each answer in the model's words. */
  perform(commands: ReadonlyArray<Command>): Promise<ReadonlyArray<Answer>> {
    return this.run(
      Effect.all(
        commands.map((command) => this.#answer(command)),
        { concurrency: "unbounded" }
      )
    )
  }

  #answer(command: Command): Effect.Effect<Answer> {
    return Effect.match(this.#effect(command), {
      onFailure: (error): Answer => ({ tag: error._tag, ...error }),
      onSuccess: (reply): Answer => ({ tag: "done", reply })
    })
  }

  #effect({ kind, ...command }: Command): Effect.Effect<unknown, { readonly _tag: string }> {
    // What is undefined here is left out, as callers do.
    const input = Object.fromEntries(
      Object.entries(command).filter(([, value]) => value !== undefined)
    ) as never
    switch (kind) {
      case "post":
        return this.ledger.postMessage(input)
      case "claim":
        return this.ledger.claimStep(input)
      case "complete":
        return this.ledger.completeStep(input)
      case "requeue":
        return this.ledger.requeueStep(input)
    }
  }
}
