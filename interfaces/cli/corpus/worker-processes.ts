// Several workers as processes of their own: the same program started once more for each, with the same flags. They are
// asked to stop, by their own ids, when this process is; nothing here ends any other process.
import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { readJson } from "../../../domain/canonical/strict-reader.ts"
import type { WorkTally } from "../../../application/corpus/read-worker.ts"
import { Host } from "../../shared/host.ts"

/** Most processes of one command. */
export const MAX_PROCESSES = 64

/** How a worker's process ended; `failure` is what it said, or the signal or exit code that ended it. */
export interface WorkerEnd {
  readonly worker_id: string
  readonly tally: WorkTally | undefined
  /** True when it was ended from outside, so that it could not say what it did. */
  readonly killed: boolean
  readonly failure: { readonly code: string; readonly message: string } | undefined
}

/** What such a process prints. */
interface Printed {
  readonly data?: { readonly workers?: ReadonlyArray<WorkTally> }
  readonly error?: { readonly code: string; readonly message: string }
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/** The document on a process's standard output; undefined when it was ended before it could say anything. */
const printedBy = (stdout: string): Printed | undefined => {
  const read = readJson(stdout.trimEnd(), "jcs/1")
  return Result.isSuccess(read) && isJsonObject(read.success) ? (read.success as Printed) : undefined
}

const lastLine = (stderr: string): string => stderr.trimEnd().split("\n").at(-1) ?? ""

const endOf = async (worker_id: string, child: Child): Promise<WorkerEnd> => {
  const closed = new Promise<{ readonly how: string; readonly killed: boolean }>((resolve) => {
    child.on("error", ({ message }) => resolve({ how: message, killed: false }))
    child.on("close", (code, signal) =>
      resolve({ how: signal ?? `exit code ${code}`, killed: signal !== null })
    )
  })
  const [stdout, stderr, { how, killed }] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed
  ])
  const printed = printedBy(stdout)
  const tally = printed?.data?.workers?.[0]
  if (tally !== undefined) return { worker_id, tally, killed: false, failure: undefined }
  const message = `it ended with ${how}${killed ? "" : ` ${lastLine(stderr)}`}`.trimEnd()
  return { worker_id, tally, killed, failure: printed?.error ?? { code: "WORKER_ENDED", message } }
}

/** Runs one worker's process to its end; an interruption asks it to stop and waits for it. */
const runWorker = (worker_id: string, args: ReadonlyArray<string>) =>
  Host.use((host) => {
    const [command = process.execPath, ...first] = host.self
    return Effect.callback<WorkerEnd>((resume) => {
      const child = spawn(command, [...first, ...args, `--worker=${worker_id}`, "--format=json"], {
        cwd: host.cwd,
        env: host.env,
        stdio: ["ignore", "pipe", "pipe"]
      })
      const end = endOf(worker_id, child)
      void end.then((ended) => resume(Effect.succeed(ended)))
      return Effect.promise(async () => {
        child.kill("SIGTERM")
        await end
      })
    })
  })

/** The names of the workers: the given one with a number. */
export const workerNames = (worker: string, processes: number): ReadonlyArray<string> =>
  Array.from({ length: processes }, (_, index) => `${worker}-${index + 1}`)

/** Runs one process for each worker, with the same arguments, to the end of all. */
export const runWorkers = (workers: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  Effect.forEach(workers, (worker) => runWorker(worker, args), { concurrency: "unbounded" })
