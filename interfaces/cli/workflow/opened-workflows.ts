// Opens the ledger that the flags name, and the executions in it.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import type { Workflows } from "../../embedding/workflows.ts"
import { warnAbout, withLedger } from "../cassette/open-ledger.ts"
import type { Access } from "../../shared/ledger-place.ts"

export const executionArgument = Argument.String("execution").pipe(
  Argument.withDescription("the execution as list prints it, WORKFLOW/ID, or its run")
)

export const withWorkflows = <A, E, R>(
  access: Access,
  use: (workflows: Workflows) => Effect.Effect<A, E, R>
) =>
  withLedger(access, (ledger) =>
    Effect.gen(function* () {
      const { workflowsOf } = yield* Effect.promise(() => import("../../embedding/workflows.ts"))
      yield* warnAbout(ledger)
      return yield* use(workflowsOf(ledger))
    })
  )
