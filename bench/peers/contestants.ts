// The same work on ours and on each peer: a message is posted, claimed and completed, one transaction or more each, with
// the same payload, the same receipt and the same `synchronous`. Peers are called through the functions that their own
// workers call, without their workers' polling; where a peer has no place for something it is left out, and said so.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Lease, Ledger, type LedgerShape, Worker } from "../../interfaces/embedding/index.ts"
import { payload, receipt } from "../support/events.ts"
import { openLedger } from "../support/ledger-runtime.ts"
import { openDatabase } from "../support/raw-ledger.ts"
import { type Contestant, imported, type Opening, type OurWay } from "./contestant.ts"
import { openEmmett, openTable } from "./stores.ts"

/** A lease that no run outlives. */
const LEASE_SECONDS = 3_600

/** How long a connection waits for another process; plainjob sets this much itself. */
const BUSY_MILLIS = 5_000

/** Commands in one transaction. */
const BATCH = 64

type Finish = (ledger: LedgerShape, caller: string, messages: number) => Effect.Effect<void, unknown>

const source = "USER" as const
const outcome = "SUCCESS" as const

const completion = (lease: Lease, number: number) =>
  ({ _tag: "CompleteStep", ...lease, receipt_payload: receipt(number), outcome }) as const

const ourWays: { readonly [Way in OurWay]: Finish } = {
  ours: (ledger, caller, messages) =>
    Effect.gen(function* () {
      const named = { run_id: caller, worker_id: caller, ttl_seconds: LEASE_SECONDS }
      for (let number = 0; number < messages; number++) {
        yield* ledger.postMessage({ run_id: caller, source, payload: payload(number) })
        const { lease } = yield* ledger.claimStep(named)
        yield* ledger.completeStep({ ...lease, receipt_payload: receipt(number), outcome })
      }
    }),
  worker: (ledger, caller, messages) =>
    Effect.gen(function* () {
      for (let number = 0; number < messages; number++) {
        yield* ledger.postMessage({ run_id: caller, source, payload: payload(number) })
      }
      let number = 0
      const options = { run_id: caller, worker_id: caller, ttl_seconds: LEASE_SECONDS, untilEmpty: true }
      yield* Effect.provideService(
        Worker.run(options, () => Effect.sync(() => receipt(number++))),
        Ledger,
        ledger
      )
    }),
  claimed: (ledger, caller, messages) =>
    Effect.gen(function* () {
      const claim = { worker_id: caller, ttl_seconds: LEASE_SECONDS }
      for (let number = 0; number < messages; number++) {
        const message = { run_id: caller, source, payload: payload(number), claim }
        const { lease } = yield* ledger.postMessage(message)
        if (lease === null) throw new Error("the post gave no lease")
        yield* ledger.completeStep({ ...lease, receipt_payload: receipt(number), outcome })
      }
    }),
  batches: (ledger, caller, messages) =>
    Effect.gen(function* () {
      const claim = {
        _tag: "ClaimStep",
        run_id: caller,
        worker_id: caller,
        ttl_seconds: LEASE_SECONDS
      } as const
      for (let done = 0; done < messages; done += BATCH) {
        const numbers = Array.from({ length: Math.min(BATCH, messages - done) }, (_, index) => done + index)
        yield* ledger.commands(
          numbers.map((number) => ({
            _tag: "PostMessage" as const,
            run_id: caller,
            source,
            payload: payload(number)
          }))
        )
        const claimed = yield* ledger.commands(numbers.map(() => claim))
        yield* ledger.commands(
          claimed.map((step, index) => completion(Result.getOrThrow(step).lease, numbers[index] ?? 0))
        )
      }
    })
}

const openOurs = async (way: OurWay, { durability, file }: Opening): Promise<Contestant> => {
  const opened = await openLedger({
    filename: file,
    durability: durability === "FULL" ? "full" : "normal"
  })
  return {
    finish: (caller, messages) =>
      opened.run((ledger) => Effect.orDie(ourWays[way](ledger, caller, messages))),
    close: opened.close
  }
}

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

interface Langgraph {
  readonly SqliteSaver: new (database: unknown) => {
    readonly put: (config: object, checkpoint: object, metadata: object) => Promise<object>
    readonly getTuple: (config: object) => Promise<object | undefined>
  }
}

interface LanggraphCheckpoint {
  readonly emptyCheckpoint: () => object
  readonly uuid6: (clockSequence: number) => string
}

/** A message is one checkpoint that is put and read: it has no claim and no completion. */
const openLanggraph = async ({ durability, file, peers }: Opening): Promise<Contestant> => {
  const { SqliteSaver } = (await imported(peers, "@langchain/langgraph-checkpoint-sqlite")) as Langgraph
  const { emptyCheckpoint, uuid6 } = (await imported(
    peers,
    "@langchain/langgraph-checkpoint"
  )) as LanggraphCheckpoint
  const database = openDatabase(file, durability)
  const saver = new SqliteSaver(database)
  return {
    finish: async (caller, messages) => {
      const config = { configurable: { thread_id: caller, checkpoint_ns: "" } }
      for (let number = 0; number < messages; number++) {
        const channel_values = { payload: payload(number), receipt: receipt(number) }
        const checkpoint = { ...emptyCheckpoint(), id: uuid6(number), channel_values }
        await saver.put(config, checkpoint, { source: "loop", step: number, parents: {} })
        if ((await saver.getTuple(config)) === undefined) throw new Error("langgraph gave no checkpoint")
      }
    },
    close: async () => {
      database.close()
    }
  }
}

/** Opens a contestant's file, making it when it is new. */
export const openContestant = (opening: Opening): Promise<Contestant> => {
  switch (opening.name) {
    case "plainjob":
      return openPlainjob(opening)
    case "openworkflow":
      return openOpenworkflow(opening)
    case "langgraph":
      return openLanggraph(opening)
    case "table":
      return openTable(opening)
    case "emmett":
      return openEmmett(opening)
    default:
      return openOurs(opening.name, opening)
  }
}
