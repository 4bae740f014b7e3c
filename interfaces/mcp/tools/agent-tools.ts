// All tools in the order in which clients see them, and the choice among them. A read-only server has no tool that may
// write: it is left out, not refused when it is called.
import { bundleTools } from "./bundle-tools.ts"
import { corpusTools } from "./corpus-tools.ts"
import { dossierTools } from "./dossier-tools.ts"
import { historyTools } from "./history-tools.ts"
import { ledgerTools } from "./ledger-tools.ts"
import { memoryTools } from "./memory-tools.ts"
import { networkTools } from "./network-tools.ts"
import { thoughtTools } from "./thought-tools.ts"
import type { AgentTool } from "./tool.ts"

/** The tools by what they work on, in the order in which clients see them. */
export const toolGroups = {
  ledger: ledgerTools,
  thoughts: thoughtTools,
  history: historyTools,
  corpus: corpusTools,
  bundles: bundleTools,
  dossiers: dossierTools,
  network: networkTools,
  memory: memoryTools
} as const satisfies Readonly<Record<string, ReadonlyArray<AgentTool>>>

const groups = new Map<string, ReadonlyArray<AgentTool>>(Object.entries(toolGroups))

/** Every tool. */
export const agentTools: ReadonlyArray<AgentTool> = [...groups.values()].flat()

const toolNames = new Set(agentTools.map(({ name }) => name))

/** What may be named to choose tools: a group, or one tool. */
export const choosableNames: ReadonlySet<string> = new Set([...groups.keys(), ...toolNames])

/** The tools that a server offers: of those named alone or by their group, or all, those that its mode allows. */
export const chosenTools = (choice: {
  readonly readOnly: boolean
  readonly names: ReadonlyArray<string> | undefined
}): ReadonlyArray<AgentTool> => {
  const named = new Set(
    choice.names?.flatMap((name) => groups.get(name)?.map((tool) => tool.name) ?? [name]) ?? toolNames
  )
  return agentTools.filter(({ hints, name }) => named.has(name) && (hints.readOnly || !choice.readOnly))
}

const withoutLedger = new Set([...networkTools, ...memoryTools].map(({ name }) => name))

/** True where one of the tools works on the ledger. */
export const needsLedger = (tools: ReadonlyArray<AgentTool>): boolean =>
  tools.some(({ name }) => !withoutLedger.has(name))
