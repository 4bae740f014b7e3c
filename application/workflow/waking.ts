// Wakes: what asks for a turn is posted into the execution's run of turns, and claimed in the same transaction where this process may
// take the turn at once.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { PostMessage } from "../../domain/ledger/commands.ts"
import { NotRecordable } from "../../domain/workflow/errors.ts"
import { wakeKey } from "../../domain/workflow/names.ts"
import { nextTurn } from "../../domain/workflow/turn-decision.ts"
import { isExplicit, type Wake, wakePayload } from "../../domain/workflow/wakes.ts"
import type { LedgerCommand } from "../ledger/commands/commands.ts"
import type { Execution, Host } from "./host.ts"
import { asked } from "./ledger-calls.ts"
import { look } from "./turns.ts"

/** True when a turn for this wake can be taken here at once. */
const mayTake = (host: Host, execution: Execution, wake: Wake, now: number): boolean => {
  const { journal, name } = execution
  if (!host.entries.has(name.workflow) || execution.isStopping) return false
  if (!execution.isRead || execution.isDriven) return false
  if (nextTurn(journal, now)._tag === "Running") return false
  if (wake.kind === "execute") return true
  if (journal.start === undefined || journal.last?.turn === "complete") return false
  return isExplicit(wake) || !(journal.last?.turn === "suspended" && journal.last.failed)
}

/** Why a value was refused. */
const reasonOf = ({ issues }: InvalidInput): string => issues.map(({ message }) => message).join("; ")

const whatOf = (wake: Wake): string =>
  wake.kind === "execute"
    ? "The payload"
    : wake.kind === "deferred"
      ? `The exit of deferred ${wake.name}`
      : "A wake"

/**
 * Posts a wake, after `before` in the same transaction, and sees to its turn. A key that is there already with another content
 * stands, and answers false. `inside` is the execution whose body wakes.
 */
export const postWake = Effect.fnUntraced(function* (
  host: Host,
  execution: Execution,
  wake: Wake,
  before: ReadonlyArray<LedgerCommand> = [],
  inside?: Execution
): Effect.fn.Return<boolean> {
  const { worker_id, ttl_seconds } = host
  const now = yield* Clock.currentTimeMillis
  const message: PostMessage = {
    run_id: execution.runs.workflow,
    source: wake.kind === "child" ? "SYSTEM" : "USER",
    payload: wakePayload(wake),
    idempotency_key: wakeKey(host.sha256, wake)
  }
  const claim = mayTake(host, execution, wake, now) ? { claim: { worker_id, ttl_seconds } } : {}
  // What was claimed must be known here, also where the caller is interrupted meanwhile.
  return yield* Effect.uninterruptible(
    Effect.gen(function* () {
      const results = yield* asked(
        host.ledger.commands([...before, { _tag: "PostMessage", ...message, ...claim }]),
        inside
      ).pipe(
        Effect.catchTag("InvalidInput", (invalid) =>
          Effect.die(new NotRecordable({ ...execution.name, what: whatOf(wake), reason: reasonOf(invalid) }))
        )
      )
      const posted = results.at(-1)
      if (posted === undefined || Result.isFailure(posted)) return false
      const reply = posted.success
      if ("lease" in reply && "lease_expires_at" in reply && reply.lease !== null) {
        execution.claimed.push({ lease: reply.lease, lease_expires_at: reply.lease_expires_at ?? "" })
      }
      yield* look(host, execution)
      return true
    })
  )
})

/** Cuts off the body that runs here: it runs again, and sees what has come. */
export const cutOff = (execution: Execution): Effect.Effect<void> =>
  Effect.suspend(() => {
    const body = execution.turn?.body
    return body === undefined ? Effect.void : Fiber.interrupt(body)
  })
