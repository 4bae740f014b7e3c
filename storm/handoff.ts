// Leases that are handed from one process of the storm to another, as a twin of the same name would have them: the process
// that offers one goes on as if it still had it alone. One file for each; who renames it first has it.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Lease } from "../interfaces/embedding/index.ts"

export interface Handoffs {
  /** Offers a lease to the other processes. */
  readonly offer: (lease: Lease) => void
  /** Takes a lease that another process has offered, if there is one. */
  readonly take: () => Lease | undefined
}

const ENDING = ".lease"

/** The leases that are handed over in a folder that exists, seen by one process. */
export const handoffsIn = (folder: string, worker: string): Handoffs => {
  let offered = 0
  return {
    offer: (lease) => {
      const name = join(folder, `${worker}.${(offered += 1)}`)
      writeFileSync(`${name}.new`, JSON.stringify(lease))
      renameSync(`${name}.new`, `${name}${ENDING}`)
    },
    take: () => {
      for (const name of readdirSync(folder)) {
        if (!name.endsWith(ENDING) || name.startsWith(`${worker}.`)) continue
        const mine = join(folder, `${name}.${worker}`)
        try {
          renameSync(join(folder, name), mine)
        } catch (error) {
          // Another process was faster.
          if ((error as NodeJS.ErrnoException).code === "ENOENT") continue
          throw error
        }
        const lease = JSON.parse(readFileSync(mine, "utf8")) as Lease
        rmSync(mine)
        return lease
      }
      return undefined
    }
  }
}
