// Executions in memory: they come when they are asked for, and go when nothing has used them for a while. Letting go releases what
// the scopes of suspended bodies hold, and runs neither compensations nor finalizers of the workflow.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { isName } from "../../domain/foundation/bounded-names.ts"
import { NotRecordable } from "../../domain/workflow/errors.ts"
import type { ExecutionName } from "../../domain/workflow/wakes.ts"
import { Execution, executionKey, type Host, type Instance } from "./host.ts"

/** How long an execution that nothing uses stays in memory. */
const IDLE_MILLIS = 10_000

const isInUse = ({ inFlight, isDriven, waiters }: Execution): boolean =>
  isDriven || waiters > 0 || inFlight.size > 0

/** Releases what bodies that suspended hold; what they are to do at the execution's end is not done. */
export const abandonBodies = (execution: Execution): Effect.Effect<void> =>
  Effect.suspend(() => {
    for (const instance of execution.instances) instance.abandoned = true
    execution.instances.clear()
    const { scope } = execution
    execution.scope = Scope.makeUnsafe()
    return Scope.close(scope, Exit.void)
  })

/** Takes an execution out of memory. */
export const forget = ({ byRun, executions }: Host, { name, runs }: Execution): void => {
  executions.delete(executionKey(name))
  byRun.delete(runs.workflow)
}

const letGo = (host: Host, key: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const execution = host.executions.get(key)
    if (execution === undefined) return Effect.void
    if (isInUse(execution)) return touch(host, execution)
    forget(host, execution)
    return abandonBodies(execution)
  })

/** Puts off the moment in which an execution goes. */
export const touch = (host: Host, execution: Execution): Effect.Effect<void> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const key = executionKey(execution.name)
    host.agenda.add(`idle:${key}`, now + IDLE_MILLIS, letGo(host, key))
  })

/** The execution with a name, which may not have been read yet. */
const inMemory = (host: Host, { execution, workflow }: ExecutionName): Effect.Effect<Execution> =>
  Effect.suspend(() => {
    const name = { workflow, execution }
    const key = executionKey(name)
    const known = host.executions.get(key)
    if (known !== undefined) return Effect.succeed(known)
    for (const [what, text] of Object.entries(name)) {
      if (isName(text)) continue
      const reason = "it holds U+0000 or half of a character"
      return Effect.die(new NotRecordable({ ...name, what: `The name of the ${what}`, reason }))
    }
    const started = new Execution(host.sha256, name)
    host.executions.set(key, started)
    host.byRun.set(started.runs.workflow, started)
    return Effect.succeed(started)
  })

/** Uses an execution, which stays in memory meanwhile. */
export const using = <A, E, R>(
  host: Host,
  name: ExecutionName,
  use: (execution: Execution) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.tap(inMemory(host, name), (execution) =>
      Effect.sync(() => {
        execution.waiters += 1
      })
    ),
    use,
    (execution) =>
      Effect.suspend(() => {
        execution.waiters -= 1
        return touch(host, execution)
      })
  )

/** The name of the execution that an instance belongs to. */
export const nameOf = ({ executionId, workflow }: Instance): ExecutionName => ({
  workflow: workflow._tag,
  execution: executionId
})

/** Uses the execution of a body that runs here: its turn keeps it in memory. */
export const usingOwn = <A, E, R>(
  host: Host,
  instance: Instance,
  use: (execution: Execution) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const name = nameOf(instance)
    const running = host.executions.get(executionKey(name))
    return running?.turn === undefined ? using(host, name, use) : use(running)
  })
