// A ledger of any layer for model-based properties: with a clock that the property sets, opened again as often as the property
// likes. It answers in the model's words and judges nothing.

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { LedgerCommand } from "../../application/ledger/commands/commands.ts"
import { Ledger, type LedgerShape } from "../../application/ledger/ledger.ts"
import type { Answer, Command, OneCommand } from "./ledger-model.ts"
import { makeManualClock, type ManualClock, withClock } from "./manual-clock.ts"

/** 2026-11-27T00:00:00.000Z: when every property begins. */
export const START = 1_795_737_600_000

export class DrivenLedger {
  readonly clock: ManualClock = makeManualClock(START)
  private readonly layer: () => Layer.Layer<Ledger, unknown>
  private opened: { readonly ledger: LedgerShape; readonly scope: Scope.Closeable } | undefined

  /** `layer` is asked for at each opening. */
  constructor(layer: () => Layer.Layer<Ledger, unknown>) {
    this.layer = layer
  }

  get ledger(): LedgerShape {
    if (this.opened === undefined) throw new Error("the ledger is not open")
    return this.opened.ledger
  }

  async open(): Promise<void> {
    const scope = Scope.makeUnsafe()
    const opening = Layer.build(this.layer()).pipe(Effect.provideService(Scope.Scope, scope))
    this.opened = { ledger: Context.get(await this.run(opening), Ledger), scope }
  }

  async close(): Promise<void> {
    const { opened } = this
    this.opened = undefined
    if (opened !== undefined) await Effect.runPromise(Scope.close(opened.scope, Exit.void))
  }

  run<A, E>(effect: Effect.Effect<A, E>): Promise<A> {
    return Effect.runPromise(withClock(this.clock)(effect))
  }

  /** Gives the commands to the ledger all at once, in order; each answer in the model's words. */
  perform(commands: ReadonlyArray<Command>): Promise<ReadonlyArray<Answer>> {
    return this.run(
      Effect.all(
        commands.map((command) => answerOf(this.ledger, command)),
        { concurrency: "unbounded" }
      )
    )
  }
}

const tags = {
  post: "PostMessage",
  claim: "ClaimStep",
  claimAny: "ClaimAny",
  complete: "CompleteStep",
  renew: "RenewLease",
  requeue: "RequeueStep"
} as const

/** A command as callers give it: what is undefined is left out, and a lease is given as its fields. */
const inputOf = ({ kind: _kind, ...command }: OneCommand): never => {
  const { lease, ...rest } = { lease: undefined, ...command }
  const given = Object.entries({ ...rest, ...(lease as object | undefined) })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as never
}

const done = (reply: unknown): Answer => ({ tag: "done", reply })
const failed = (error: { readonly _tag: string }): Answer => ({ tag: error._tag, ...error })

const commanded = (
  ledger: LedgerShape,
  command: Command
): Effect.Effect<unknown, { readonly _tag: string }> => {
  switch (command.kind) {
    case "post":
      return ledger.postMessage(inputOf(command))
    case "claim":
      return ledger.claimStep(inputOf(command))
    case "claimAny":
      return ledger.claimAny(inputOf(command))
    case "complete":
      return ledger.completeStep(inputOf(command))
    case "renew":
      return ledger.renewLease(inputOf(command))
    case "requeue":
      return ledger.requeueStep(inputOf(command))
    case "batch": {
      const batch = command.commands.map(
        (one): LedgerCommand =>
          ({
            _tag: tags[one.kind],
            ...(inputOf(one) as object)
          }) as LedgerCommand
      )
      return Effect.map(ledger.commands(batch), (results) =>
        results.map((result) => Result.match(result, { onFailure: failed, onSuccess: done }))
      )
    }
  }
}

/** Gives a command to a ledger; a refusal is an answer too. */
export const answerOf = (ledger: LedgerShape, command: Command): Effect.Effect<Answer> =>
  Effect.match(commanded(ledger, command), { onFailure: failed, onSuccess: done })
