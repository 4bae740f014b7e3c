// Who the server speaks for. With an agent given at the start, no call can act in another's name; without one, each call
// must say who acts, and the tools' Schemas require it.
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { invalidAt, type InvalidInput } from "../../domain/foundation/errors.ts"
import { AgentMismatch } from "./failures.ts"

export class Caller extends Context.Service<
  Caller,
  {
    /** The agent that was given at the start. */
    readonly agent: string | undefined
  }
>()("cortex-cassette/interfaces/mcp/Caller") {}

/** The agent that acts: the server's own, or the one that `field` names. */
export const actingAgent = (
  field: string,
  given: string | undefined
): Effect.Effect<string, AgentMismatch | InvalidInput, Caller> =>
  Caller.use(({ agent }): Effect.Effect<string, AgentMismatch | InvalidInput> => {
    if (agent !== undefined && given !== undefined && given !== agent) {
      return Effect.fail(new AgentMismatch({ field, agent, given }))
    }
    const acting = given ?? agent
    return acting === undefined
      ? Effect.fail(invalidAt(`/${field}`, "say who acts: this server was started without --agent"))
      : Effect.succeed(acting)
  })
