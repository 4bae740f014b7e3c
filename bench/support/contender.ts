// One of several processes that write into the same ledger file: it posts, claims and completes messages of its
// own run until the time is up and reports how many commands were answered and how long the slowest took. Started
// by the benchmark `fairness` with a message; never by hand.
import { once } from "node:events"
import * as Effect from "effect/Effect"
import { payload, receipt } from "./events.ts"
import { openLedger } from "./ledger-runtime.ts"

/** What the parent asks for; the contest begins with its second message, when everybody is ready. */
export interface Contest {
  readonly file: string
  readonly name: string
  readonly seconds: number
  readonly durability: "full" | "normal"
}

/** What a contender achieved. */
export interface Achievement {
  readonly commands: number
  readonly longest_wait_ms: number
}

const nextMessage = async (): Promise<unknown> => (await once(process, "message"))[0]

const contend = async ({ durability, file, name, seconds }: Contest): Promise<Achievement> => {
  const opened = await openLedger({ filename: file, durability })
  process.send?.("ready")
  await nextMessage()
  const end = performance.now() + seconds * 1000
  let commands = 0
  let longest = 0
  const timed = <A, E>(command: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      const start = performance.now()
      return Effect.tap(command, () =>
        Effect.sync(() => {
          commands += 1
          longest = Math.max(longest, performance.now() - start)
        })
      )
    })
  await opened.run((ledger) =>
    Effect.gen(function* () {
      for (let number = 0; performance.now() < end; number++) {
        yield* timed(ledger.postMessage({ run_id: name, source: "USER", payload: payload(number) }))
        const step = yield* timed(ledger.claimStep({ run_id: name, worker_id: name, ttl_seconds: 3_600 }))
        const { fencing_token, step_id } = step
        yield* timed(
          ledger.completeStep({
            run_id: name,
            step_id,
            worker_id: name,
            fencing_token,
            receipt_payload: receipt(number),
            outcome: "SUCCESS"
          })
        )
      }
    })
  )
  await opened.close()
  return { commands, longest_wait_ms: longest }
}

const achievement = await contend((await nextMessage()) as Contest)
process.send?.(achievement, () => process.disconnect())
