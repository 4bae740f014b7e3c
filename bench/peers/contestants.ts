// The same work on ours and on each peer: a message is posted, claimed and completed, one transaction or more each, with
// the same payload, the same receipt and the same `synchronous`. Peers are called through the functions that their own
// workers call, without their workers' polling; where a peer has no place for something it is left out, and said so.
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { payload, receipt } from "../support/events.ts"
import { openLedger } from "../support/ledger-runtime.ts"
import { type Durability, openDatabase } from "../support/raw-ledger.ts"

/** A queue on a file. */
export interface Contestant {
  /** Posts, claims and completes so many messages, one after the other, as this caller. */
  readonly finish: (caller: string, messages: number) => Promise<void>
  readonly close: () => Promise<void>
}

/** What is opened, in a process of its own too; `peers` is the folder that holds the peers. */
export interface Opening {
  readonly name: "ours" | "plainjob" | "openworkflow"
  readonly file: string
  readonly durability: Durability
  readonly peers: string
}

/** A lease that no run outlives. */
const LEASE_SECONDS = 3_600

/** How long a connection waits for another process; plainjob sets this much itself. */
const BUSY_MILLIS = 5_000

const openOurs = async ({ durability, file }: Opening): Promise<Contestant> => {
  const opened = await openLedger({
    filename: file,
    durability: durability === "FULL" ? "full" : "normal"
  })
  const finish = (caller: string, messages: number) =>
    opened.run((ledger) =>
      Effect.gen(function* () {
        const named = { run_id: caller, worker_id: caller }
        for (let number = 0; number < messages; number++) {
          yield* ledger.postMessage({ run_id: caller, source: "USER", payload: payload(number) })
          const { fencing_token, step_id } = yield* ledger.claimStep({ ...named, ttl_seconds: LEASE_SECONDS })
          yield* ledger.completeStep({
            ...named,
            step_id,
            fencing_token,
            receipt_payload: receipt(number),
            outcome: "SUCCESS"
          })
        }
      })
    )
  return { finish, close: opened.close }
}

const imported = async (peers: string, name: string): Promise<unknown> =>
  import(pathToFileURL(createRequire(join(peers, "package.json")).resolve(name)).href)

interface Plainjob {
  readonly better: (database: unknown) => unknown
  readonly defineQueue: (options: object) => {
    readonly add: (type: string, data: unknown) => { readonly id: number }
    readonly getAndMarkJobAsProcessing: (type: string) => { readonly id: number } | undefined
    readonly getJobById: (id: number) => { readonly data: string } | undefined
    readonly markJobAsDone: (id: number) => void
    readonly close: () => void
  }
}

const silent = () => undefined

const openPlainjob = async ({ durability, file, peers }: Opening): Promise<Contestant> => {
  const { better, defineQueue } = (await imported(peers, "plainjob")) as Plainjob
  const database = openDatabase(file, durability)
  const logger = { error: console.error, warn: silent, info: silent, debug: silent }
  const queue = defineQueue({ connection: better(database), logger })
  // It sets NORMAL itself.
  database.pragma(`synchronous = ${durability}`)
  const finishOne = (caller: string, number: number): void => {
    queue.add(caller, payload(number))
    const claimed = queue.getAndMarkJobAsProcessing(caller)
    const job = claimed && queue.getJobById(claimed.id)
    if (claimed === undefined || job === undefined) throw new Error("plainjob gave no job")
    JSON.parse(job.data)
    queue.markJobAsDone(claimed.id)
  }
  return {
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        finishOne(caller, number)
        // The next caller's turn, as in a program whose jobs wait for something.
        await Promise.resolve()
      }
    },
    close: async () => queue.close()
  }
}

interface Openworkflow {
  readonly BackendSqlite: {
    readonly connect: (file: string) => {
      readonly db: { readonly exec: (sql: string) => void }
      readonly createWorkflowRun: (run: object) => Promise<unknown>
      readonly claimWorkflowRun: (claim: object) => Promise<{ readonly id: string } | null>
      readonly completeWorkflowRun: (completion: object) => Promise<unknown>
      readonly stop: () => Promise<void>
    }
  }
}

const openOpenworkflow = async ({ durability, file, peers }: Opening): Promise<Contestant> => {
  const { BackendSqlite } = (await imported(peers, "openworkflow/sqlite")) as Openworkflow
  const backend = BackendSqlite.connect(file)
  // It sets neither; without the second, a second process is refused at once.
  backend.db.exec(`PRAGMA synchronous = ${durability}; PRAGMA busy_timeout = ${BUSY_MILLIS}`)
  return {
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        await backend.createWorkflowRun({
          workflowName: caller,
          version: null,
          idempotencyKey: null,
          config: {},
          context: null,
          input: payload(number),
          parentStepAttemptNamespaceId: null,
          parentStepAttemptId: null,
          availableAt: null,
          deadlineAt: null
        })
        const claim = { workerId: caller, leaseDurationMs: LEASE_SECONDS * 1_000 }
        let claimed = await backend.claimWorkflowRun(claim)
        // It reads the clock before it waits for the file, and then passes over what another process posted meanwhile.
        while (claimed === null) claimed = await backend.claimWorkflowRun(claim)
        await backend.completeWorkflowRun({
          workflowRunId: claimed.id,
          workerId: caller,
          output: receipt(number)
        })
      }
    },
    close: () => backend.stop()
  }
}

/** Opens a contestant's file, making it when it is new. */
export const openContestant = (opening: Opening): Promise<Contestant> => {
  if (opening.name === "ours") return openOurs(opening)
  return opening.name === "plainjob" ? openPlainjob(opening) : openOpenworkflow(opening)
}
