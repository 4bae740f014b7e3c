// The same workflows on DBOS, which keeps them in PostgreSQL: steps that do nothing, one after the other, and a workflow that does
// nothing.
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

interface Dbos {
  readonly setConfig: (config: object) => void
  readonly registerWorkflow: <Args extends ReadonlyArray<unknown>>(
    body: (...args: Args) => Promise<void>,
    options: { readonly name: string }
  ) => (...args: Args) => Promise<void>
  readonly runStep: (step: () => Promise<void>, options: { readonly name: string }) => Promise<void>
  readonly launch: () => Promise<void>
  readonly shutdown: () => Promise<void>
}

export interface DbosWorkflows {
  readonly steps: (many: number) => Promise<void>
  readonly empty: () => Promise<void>
  readonly close: () => Promise<void>
}

const nothing = async (): Promise<void> => {}

/** Starts DBOS of the folder that holds it on a server. */
export const openDbos = async (peers: string, address: string): Promise<DbosWorkflows> => {
  const file = createRequire(join(peers, "package.json")).resolve("@dbos-inc/dbos-sdk")
  const { DBOS } = (await import(pathToFileURL(file).href)) as { readonly DBOS: Dbos }
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: address, logLevel: "error", runAdminServer: false })
  const steps = DBOS.registerWorkflow(
    async (many: number) => {
      for (let number = 0; number < many; number++) await DBOS.runStep(nothing, { name: `step ${number}` })
    },
    { name: "steps" }
  )
  const empty = DBOS.registerWorkflow(nothing, { name: "empty" })
  await DBOS.launch()
  // They refuse to be methods of an object.
  return { steps: (many) => steps(many), empty: () => empty(), close: () => DBOS.shutdown() }
}
