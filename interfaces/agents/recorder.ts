// Records the calls of an agent that runs in this process. Nothing here ever fails for the agent: what could not be recorded is
// told to `onError`, and the agent goes on.
import type { Bodies } from "../../domain/agents/body.ts"
import {
  type Call,
  type CallEnding,
  callKey,
  DEFAULT_CALL_TTL_SECONDS,
  postOfCall,
  receiptOfCall,
  sessionRun
} from "../../domain/agents/call.ts"
import { CallNotOpen } from "../../domain/agents/errors.ts"
import type { Lease } from "../../domain/ledger/commands.ts"
import { sha256 } from "../../infrastructure/hashing/sha256.ts"
import type { PromiseLedger } from "../promise/index.ts"

/** Where calls are recorded, and how much of them. */
export interface RecorderOptions {
  /** What `openLedger` gives; a program with Effect gives these two operations of the ledger that it has. */
  readonly ledger: Pick<PromiseLedger, "completeStep" | "postMessage">
  /** The session that calls belong to, whose run is `agent/HOST/SESSION`; by default what the host calls one. */
  readonly session?: string | undefined
  /** "keep" records bodies themselves and not their hashes alone. */
  readonly bodies?: Bodies | undefined
  /** How long a call may take: a later end is not recorded. By default 3600. */
  readonly ttl_seconds?: number | undefined
  /** Told what could not be recorded; by default a warning of the process. */
  readonly onError?: ((error: unknown) => void) | undefined
}

const warn = (error: unknown): void =>
  process.emitWarning(`A call was not recorded: ${error instanceof Error ? error.message : String(error)}`)

type CallName = Pick<Call, "call" | "host" | "session">

const placeOf = (call: CallName): string => `${sessionRun(sha256, call)} ${callKey(sha256, call.call)}`

export class CallRecorder {
  private readonly open = new Map<string, Promise<Lease | undefined>>()
  private readonly running = new Set<Promise<unknown>>()
  private readonly options: RecorderOptions
  private readonly bodies: Bodies

  constructor(options: RecorderOptions) {
    this.options = options
    this.bodies = options.bodies ?? "hash"
  }

  /** Posts a call and claims its step. A call that is open already is not recorded again. */
  begin(call: Call): Promise<void> {
    const id = placeOf(call)
    if (this.open.has(id)) return Promise.resolve()
    const lease = this.attempt(async () => {
      const ttl_seconds = this.options.ttl_seconds ?? DEFAULT_CALL_TTL_SECONDS
      const post = postOfCall(sha256, call, { bodies: this.bodies, ttl_seconds })
      const { lease } = await this.options.ledger.postMessage(post)
      if (lease === null) throw new CallNotOpen(call)
      return lease
    })
    this.open.set(id, lease)
    return lease.then(() => {})
  }

  /** Completes the step of a call that was begun here. */
  end(call: CallName, ending: CallEnding): Promise<void> {
    const id = placeOf(call)
    const begun = this.open.get(id)
    this.open.delete(id)
    return this.attempt(async () => {
      if (begun === undefined) throw new CallNotOpen(call)
      // What is hashed is what the host gave, not what it makes of it meanwhile.
      const receipt_payload = receiptOfCall(sha256, ending, { bodies: this.bodies, on_error: "warn" })
      const lease = await begun
      if (lease === undefined) return
      await this.options.ledger.completeStep({ ...lease, outcome: ending.outcome, receipt_payload })
    })
  }

  /** True between a call's begin and its end. */
  isOpen(call: CallName): boolean {
    return this.open.has(placeOf(call))
  }

  /** Answers when all that was begun or ended so far is on disk, or was told to `onError`. */
  async flush(): Promise<void> {
    await Promise.all(this.running)
  }

  private attempt<A>(work: () => Promise<A>): Promise<A | undefined> {
    const settled = work().catch((error: unknown) => {
      this.tell(error)
      return undefined
    })
    this.running.add(settled)
    return settled.finally(() => this.running.delete(settled))
  }

  private tell(error: unknown): void {
    try {
      ;(this.options.onError ?? warn)(error)
    } catch (thrown) {
      warn(thrown)
    }
  }
}
