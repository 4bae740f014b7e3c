// What the command says on a Node that is too old. It must run before anything else is loaded, and imports nothing but
// the judgement and what Node itself brings.
import { isNodeSupported, OLDEST_NODE } from "../embedding/machine.ts"

/** One sentence for people when `version` (such as `20.11.1`) is too old, else undefined. */
export const nodeVersionFault = (version: string): string | undefined =>
  isNodeSupported(version)
    ? undefined
    : `cortex needs Node ${OLDEST_NODE} or newer and this is Node ${version}: install a newer Node and run the command again.`
