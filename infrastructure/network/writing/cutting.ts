// Cuts the documents of an index run into chunks: in this thread, or in a further one that does it while this one writes. The
// further thread is a help and nothing more: where there is none, or when it has ended, documents are cut here.
import { availableParallelism, loadavg } from "node:os"
import { Worker } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { programBeside } from "../../files/program-beside.ts"
import type { CutRecord } from "../index/chunk-rows.ts"
import { type SearchedChunk, searchedChunksOf } from "../index/chunk-terms.ts"

/** The chunks of each document. */
type Cut = ReadonlyArray<ReadonlyArray<SearchedChunk>>

/** How far a run is: files that were looked at, all of them, and how long it has cut documents (milliseconds). */
export interface CuttingProgress {
  readonly done: number
  readonly total: number
  readonly spentMillis: number
}

/** How long was cut before what is left is guessed from it (milliseconds). */
const MIN_SPENT_MILLIS = 50

/** What must be left to cut: starting a thread and handing texts over take some of it (milliseconds). */
const MIN_LEFT_MILLIS = 1_000

/** True where much is left to cut, and a processor is free to do it. */
export const isThreadWorthIt = ({ done, spentMillis, total }: CuttingProgress): boolean =>
  spentMillis >= MIN_SPENT_MILLIS &&
  (spentMillis / done) * (total - done) >= MIN_LEFT_MILLIS &&
  loadavg()[0]! < availableParallelism() &&
  availableParallelism() > 1

/** A thread that answers in the order in which it is asked; the answer is undefined when it has ended. */
class CuttingThread {
  /** False until its program is loaded, and from its end on. */
  isReady = false
  private readonly worker: Worker
  private readonly waiting: Array<(cut: Cut | undefined) => void> = []

  constructor(program: string) {
    this.worker = new Worker(program)
    this.worker.on("message", (message: Cut | "ready") => {
      if (message === "ready") this.isReady = true
      else this.waiting.shift()?.(message)
    })
    for (const event of ["error", "messageerror", "exit"]) this.worker.on(event, () => this.end())
  }

  ask(documents: ReadonlyArray<CutRecord>): Promise<Cut | undefined> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.worker.postMessage(documents)
    })
  }

  stop(): Promise<unknown> {
    return this.worker.terminate()
  }

  private end(): void {
    this.isReady = false
    for (const resolve of this.waiting.splice(0)) resolve(undefined)
  }
}

/** Where the host forbids threads, there is none. */
const startThread = (): CuttingThread | undefined => {
  const program =
    process.permission?.has("worker") === false ? undefined : programBeside("cutting-thread", import.meta.url)
  return program === undefined ? undefined : new CuttingThread(program)
}

/** Cuts the documents of one run. */
export class Cutting {
  private readonly isWorthIt: (progress: CuttingProgress) => boolean
  private thread: CuttingThread | undefined
  private hasTried = false
  private spentMillis = 0

  constructor(isWorthIt = isThreadWorthIt) {
    this.isWorthIt = isWorthIt
  }

  /** True where documents are cut by another thread. */
  get isAside(): boolean {
    return this.thread?.isReady === true
  }

  /** The chunks of documents; another thread begins at once. */
  cut(documents: ReadonlyArray<CutRecord>): Effect.Effect<Cut> {
    const here = () => this.cutHere(documents)
    if (!this.isAside) return Effect.sync(here)
    const asked = this.thread!.ask(documents)
    return Effect.map(
      Effect.promise(() => asked),
      (cut) => cut ?? here()
    )
  }

  /** Starts a thread where that has become worth it. */
  look(done: number, total: number): void {
    if (this.hasTried || !this.isWorthIt({ done, total, spentMillis: this.spentMillis })) return
    this.hasTried = true
    this.thread = startThread()
  }

  async stop(): Promise<void> {
    await this.thread?.stop()
  }

  private cutHere(documents: ReadonlyArray<CutRecord>): Cut {
    const start = performance.now()
    const cut = searchedChunksOf(documents)
    this.spentMillis += performance.now() - start
    return cut
  }
}

/** What cuts documents, for the scope's life. */
export const makeCutting = Effect.acquireRelease(
  Effect.sync(() => new Cutting()),
  (cutting) => Effect.promise(() => cutting.stop())
)
