// A long call tells that it is at work: every second a notification with a number that grows, where the client asked for that
// with a token, so that it need not take silence for the end.
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as McpServer from "effect/ai/McpServer"
import { progressToken } from "./messages/request-metadata.ts"

/** How long a call is silent at most. */
const INTERVAL = Duration.seconds(1)

/** Does the work and meanwhile tells that `name` is at it: a tool, or what is read. */
export const tellingProgress = <A, E, R>(
  server: McpServer.McpServer["Service"],
  name: string,
  work: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const token = yield* progressToken
    if (token === undefined) return yield* work
    let seconds = 0
    const tell = Effect.suspend(() =>
      server.notifications["notifications/progress"]({
        progressToken: token,
        progress: ++seconds,
        message: `${name} is at work`
      })
    )
    const telling = yield* Effect.forkChild(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), tell)))
    return yield* Effect.ensuring(work, Fiber.interrupt(telling))
  })
