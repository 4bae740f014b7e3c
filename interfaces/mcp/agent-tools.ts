// All tools in the order in which clients see them, and the choice among them. A read-only server has no tool that may
// write: it is left out, not refused when it is called.
import { bundleTools } from "./bundle-tools.ts"
import { corpusTools } from "./corpus-tools.ts"
import { ledgerTools } from "./ledger-tools.ts"
import { memoryTools } from "./memory-tools.ts"
import { networkTools } from "./network-tools.ts"
import { thoughtTools } from "./thought-tools.ts"
import type { AgentTool } from "./tool.ts"

/** Every tool. */
export const agentTools: ReadonlyArray<AgentTool> = [
  ...ledgerTools,
  ...thoughtTools,
  ...corpusTools,
  ...bundleTools,
  ...networkTools,
  ...memoryTools
]

/** The tools that a server offers: of the named ones, or all, those that its mode allows. */
export const chosenTools = (choice: {
  readonly readOnly: boolean
  readonly names: ReadonlyArray<string> | undefined
}): ReadonlyArray<AgentTool> =>
  agentTools.filter(
    ({ hints, name }) =>
      (choice.names === undefined || choice.names.includes(name)) && (hints.readOnly || !choice.readOnly)
  )
