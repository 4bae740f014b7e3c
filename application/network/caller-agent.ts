// Whose questions a network asks: the agent that was named when the network was opened, never what a question or a text
// says. Without one, only what everybody may see is found.
import * as Context from "effect/Context"

/** The agent of every question of a network; null when none was named. Read when the network is made. */
export const CallerAgent = Context.Reference<string | null>("cortex-cassette/application/CallerAgent", {
  defaultValue: () => null
})
