// The same work on queues that live in a server: pg-boss on PostgreSQL, BullMQ on Redis. They are called through the functions that
// their own workers call, without their workers' polling.
import { payload, receipt } from "../support/events.ts"
import { type Contestant, imported } from "./contestant.ts"

/** A queue on a server that is given the names of its callers before it works. */
interface ServerQueue extends Contestant {
  readonly prepare: (callers: ReadonlyArray<string>) => Promise<void>
}

interface PgBoss {
  readonly PgBoss: new (options: object) => {
    readonly on: (event: "error", listener: (error: Error) => void) => void
    readonly start: () => Promise<unknown>
    readonly stop: (options: object) => Promise<void>
    readonly createQueue: (name: string) => Promise<void>
    readonly send: (name: string, data: object) => Promise<string | null>
    readonly fetch: (name: string) => Promise<ReadonlyArray<{ readonly id: string }>>
    readonly complete: (name: string, id: string, output: object) => Promise<unknown>
  }
}

/** Connections of pg-boss: one for each caller, below what the server allows. */
const CONNECTIONS = 64

export const openPgBoss = async (peers: string, address: string): Promise<ServerQueue> => {
  const { PgBoss } = (await imported(peers, "pg-boss")) as PgBoss
  const boss = new PgBoss({
    connectionString: address,
    max: CONNECTIONS,
    supervise: false,
    schedule: false
  })
  boss.on("error", (error) => console.error(error.message))
  await boss.start()
  return {
    prepare: async (callers) => {
      for (const caller of callers) await boss.createQueue(caller)
    },
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        await boss.send(caller, payload(number))
        const [job] = await boss.fetch(caller)
        if (job === undefined) throw new Error("pg-boss gave no job")
        await boss.complete(caller, job.id, receipt(number))
      }
    },
    close: () => boss.stop({ graceful: false })
  }
}

interface Job {
  readonly moveToCompleted: (result: object, token: string, fetchNext: boolean) => Promise<unknown>
}

interface BullmqQueue {
  readonly add: (name: string, data: object) => Promise<unknown>
  readonly close: () => Promise<void>
}

interface BullmqWorker {
  readonly getNextJob: (token: string, options: object) => Promise<Job | undefined>
  readonly waitUntilReady: () => Promise<unknown>
  readonly close: () => Promise<void>
}

interface Bullmq {
  readonly Queue: new (name: string, options: object) => BullmqQueue
  readonly Worker: new (name: string, processor: undefined, options: object) => BullmqWorker
}

export const openBullmq = async (peers: string, port: number): Promise<ServerQueue> => {
  const { Queue, Worker } = (await imported(peers, "bullmq")) as Bullmq
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null }
  const queues = new Map<string, BullmqQueue>()
  const workers = new Map<string, BullmqWorker>()
  return {
    prepare: async (callers) => {
      for (const caller of callers) {
        if (queues.has(caller)) continue
        const worker = new Worker(caller, undefined, { connection, autorun: false })
        await worker.waitUntilReady()
        workers.set(caller, worker)
        queues.set(caller, new Queue(caller, { connection }))
      }
    },
    finish: async (caller, messages) => {
      for (let number = 0; number < messages; number++) {
        await queues.get(caller)?.add("step", payload(number))
        const job = await workers.get(caller)?.getNextJob(caller, { block: false })
        if (job === undefined) throw new Error("BullMQ gave no job")
        await job.moveToCompleted(receipt(number), caller, false)
      }
    },
    close: async () => {
      for (const open of [...workers.values(), ...queues.values()]) await open.close()
    }
  }
}
