// A checkpoint saver for LangGraph: each thread is a run, each checkpoint and each set of writes a message. A deletion is a message,
// too: what was there before it stays in the ledger. A checkpoint holds what is new in it; the rest is found at its parents.
import { isDeepStrictEqual } from "node:util"
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey
} from "@langchain/langgraph-checkpoint"
import { invalidAt } from "../../domain/foundation/errors.ts"
import {
  appendToSession,
  operationsOf,
  runOfSession,
  type SessionLedger,
  sessionRuns
} from "./session-log.ts"

const HOST = "langgraph"

/** How many runs are listed at once. */
const PAGE_RUNS = 256

/** How many threads are kept in memory as they were read last: a thread that is read again is read from there on. */
const KEPT_THREADS = 8

/** The first version of checkpoints whose parents' sends are writes and no values. */
const SENDS_ARE_WRITES = 4

type Config = Parameters<BaseCheckpointSaver["getTuple"]>[0]

/** What the serializer made of a value: its text, or base64 of bytes that are no UTF-8. */
type Serialized = readonly [type: string, encoding: "text" | "base64", data: string]

interface SavedCheckpoint {
  readonly ns: string
  readonly id: string
  readonly parent?: string
  /** The checkpoint without its values. */
  readonly checkpoint: Omit<Checkpoint, "channel_values">
  readonly metadata: Serialized
  readonly values: ReadonlyArray<readonly [channel: string, value: Serialized]>
  /** The channels whose values are those of the parent. */
  readonly carried: ReadonlyArray<string>
}

interface SavedWrite {
  readonly ns: string
  readonly id: string
  readonly task: string
  readonly path: string
  readonly index: number
  readonly channel: string
  readonly value: Serialized
}

const serializedOf = ([type, bytes]: [string, Uint8Array]): Serialized => {
  const buffer = Buffer.from(bytes)
  const text = buffer.toString("utf8")
  return Buffer.from(text, "utf8").equals(buffer)
    ? [type, "text", text]
    : [type, "base64", buffer.toString("base64")]
}

const placeOf = (thread: unknown) => {
  if (typeof thread !== "string" || thread === "")
    throw invalidAt("/configurable/thread_id", "the id of the thread is a text that is not empty")
  return { run_id: runOfSession(HOST, thread), fields: { host: HOST, session: thread } }
}

const namespaceOf = (config: Config): string => config.configurable?.["checkpoint_ns"] ?? ""

const keyOf = (ns: string, id: string): string => JSON.stringify([ns, id])

/** A thread as its messages leave it; reading goes on where it stopped. */
class Thread {
  id = ""
  readonly checkpoints = new Map<string, SavedCheckpoint>()
  private readonly writes = new Map<string, Map<string, SavedWrite>>()
  private last: string | undefined
  private reading: Promise<void> = Promise.resolve()
  private readonly ledger: SessionLedger
  private readonly run_id: string

  constructor(ledger: SessionLedger, run_id: string) {
    this.ledger = ledger
    this.run_id = run_id
  }

  /** One reader at a time. */
  upToDate(): Promise<void> {
    const read = () => this.readOn()
    this.reading = this.reading.then(read, read)
    return this.reading
  }

  find(ns: string, id: string | undefined): SavedCheckpoint | undefined {
    return id === undefined ? undefined : this.checkpoints.get(keyOf(ns, id))
  }

  /** The checkpoints, the newest first: their ids grow with time. */
  newestFirst(): ReadonlyArray<SavedCheckpoint> {
    return [...this.checkpoints.values()].toSorted((a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0))
  }

  /** The writes on a checkpoint, in the order in which the host applies them. */
  writesOn(ns: string, id: string): ReadonlyArray<SavedWrite> {
    const keyed = [...(this.writes.get(keyOf(ns, id))?.values() ?? [])].map(
      (write) => [writesSortKey(write.path, write.task, write.index), write] as const
    )
    return keyed.toSorted(([a], [b]) => compareWritesSortKeys(a, b)).map(([, write]) => write)
  }

  /** The value of a channel in a checkpoint, which may be a parent's. */
  valueOf(saved: SavedCheckpoint | undefined, channel: string): Serialized | undefined {
    for (let at = saved; at !== undefined; at = this.find(at.ns, at.parent)) {
      const own = at.values.find(([name]) => name === channel)
      if (own !== undefined || !at.carried.includes(channel)) return own?.[1]
    }
    return undefined
  }

  private async readOn(): Promise<void> {
    for await (const { entries, fields, message_id, op } of operationsOf(
      this.ledger,
      this.run_id,
      this.last
    )) {
      this.id = String(fields["session"])
      if (op === "delete") {
        this.checkpoints.clear()
        this.writes.clear()
      } else if (op === "checkpoint") {
        for (const saved of entries as ReadonlyArray<SavedCheckpoint>)
          this.checkpoints.set(keyOf(saved.ns, saved.id), saved)
      } else for (const write of entries as ReadonlyArray<SavedWrite>) this.take(write)
      this.last = message_id
    }
  }

  /** A write that is told again is the first one; an error, an interrupt and the like are the last one. */
  private take(write: SavedWrite): void {
    const on = keyOf(write.ns, write.id)
    const taken = this.writes.get(on) ?? new Map<string, SavedWrite>()
    this.writes.set(on, taken)
    const key = JSON.stringify([write.task, write.index])
    if (write.index < 0 || !taken.has(key)) taken.set(key, write)
  }
}

/** The ledger that threads are kept in; `serde` takes the place of LangGraph's serializer. */
export interface LedgerSaverOptions {
  readonly ledger: SessionLedger
  readonly serde?: SerializerProtocol
}

/**
 * A saver for the option `checkpointer`, over a ledger: a thread is the run `session/langgraph/ID`.
 *
 * @example
 * import { Annotation, END, START, StateGraph } from "@langchain/langgraph"
 * import { LedgerSaver } from "cortex-cassette/agents/langgraph"
 * import { openLedger } from "cortex-cassette/promise"
 *
 * export const greet = async (name: string): Promise<string> => {
 *   const ledger = await openLedger({ filename: "work.db" })
 *   const graph = new StateGraph(Annotation.Root({ text: Annotation<string> }))
 *     .addNode("greet", ({ text }) => ({ text: `Hello ${text}` }))
 *     .addEdge(START, "greet")
 *     .addEdge("greet", END)
 *     .compile({ checkpointer: new LedgerSaver({ ledger }) })
 *   return (await graph.invoke({ text: name }, { configurable: { thread_id: "support-42" } })).text
 * }
 */
export class LedgerSaver extends BaseCheckpointSaver {
  private readonly ledger: SessionLedger
  private readonly threads = new Map<string, Thread>()

  constructor({ ledger, serde }: LedgerSaverOptions) {
    super(serde)
    this.ledger = ledger
  }

  override async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
    const thread_id: unknown = config.configurable?.["thread_id"]
    if (thread_id === undefined) return undefined
    const thread = await this.read(placeOf(thread_id).run_id)
    const ns = namespaceOf(config)
    const id = getCheckpointId(config)
    const saved = id === "" ? thread.newestFirst().find((each) => each.ns === ns) : thread.find(ns, id)
    return saved === undefined ? undefined : this.tupleOf(thread, saved)
  }

  /** The checkpoints of a thread, the newest first; without a thread those of one thread after the other. */
  override async *list(
    config: Config,
    { before, filter = {}, limit = Infinity }: CheckpointListOptions = {}
  ): AsyncGenerator<CheckpointTuple> {
    const { checkpoint_ns, thread_id } = config.configurable ?? {}
    const only = getCheckpointId(config)
    const end = before === undefined ? "" : getCheckpointId(before)
    const wanted = ({ id, ns }: SavedCheckpoint): boolean =>
      (checkpoint_ns === undefined || ns === checkpoint_ns) &&
      (only === "" || id === only) &&
      (end === "" || id < end)
    let left = limit
    for await (const run_id of thread_id === undefined ? this.runs() : [placeOf(thread_id).run_id]) {
      const thread = await this.read(run_id)
      for (const saved of thread.newestFirst().filter(wanted)) {
        if (left <= 0) return
        const metadata = new Map<string, unknown>(Object.entries(await this.metadataOf(saved)))
        if (!Object.entries(filter).every(([key, value]) => isDeepStrictEqual(metadata.get(key), value)))
          continue
        left -= 1
        yield await this.tupleOf(thread, saved)
      }
    }
  }

  override async put(
    config: Config,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions
  ): Promise<Config> {
    const place = placeOf(config.configurable?.["thread_id"])
    const ns = namespaceOf(config)
    const parent = getCheckpointId(config)
    const { channel_values, ...rest } = copyCheckpoint(checkpoint)
    const thread = await this.read(place.run_id)
    const above = thread.find(ns, parent)
    const carried: Array<string> = []
    const own: Array<string> = []
    for (const channel of Object.keys(channel_values)) {
      const version = rest.channel_versions[channel]
      if (version === undefined || Object.hasOwn(newVersions, channel)) own.push(channel)
      else if (
        above?.checkpoint.channel_versions[channel] === version &&
        thread.valueOf(above, channel) !== undefined
      )
        carried.push(channel)
      // What the host calls old and no parent has: of a first checkpoint it is not asked for.
      else if (parent !== "") own.push(channel)
    }
    const values = await Promise.all(
      own.map(async (channel) => [channel, await this.dump(channel_values[channel])] as const)
    )
    const saved: SavedCheckpoint = {
      ns,
      id: checkpoint.id,
      ...(parent === "" ? {} : { parent }),
      checkpoint: rest,
      metadata: await this.dump(metadata),
      values,
      carried
    }
    await appendToSession(this.ledger, place, "checkpoint", [saved])
    return this.configOf(place.fields.session, ns, checkpoint.id)
  }

  override async putWrites(
    config: Config,
    writes: Array<PendingWrite>,
    task: string,
    path = ""
  ): Promise<void> {
    const place = placeOf(config.configurable?.["thread_id"])
    const ns = namespaceOf(config)
    const id = getCheckpointId(config)
    if (id === "") throw invalidAt("/configurable/checkpoint_id", "writes belong to a checkpoint: name it")
    const saved = await Promise.all(
      writes.map(async ([channel, value], position): Promise<SavedWrite> => {
        const index = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : position
        return { ns, id, task, path, index, channel, value: await this.dump(value) }
      })
    )
    if (saved.length > 0) await appendToSession(this.ledger, place, "writes", saved)
  }

  override async deleteThread(threadId: string): Promise<void> {
    const place = placeOf(threadId)
    if ((await this.ledger.runLength(place.run_id)) > 0) await appendToSession(this.ledger, place, "delete")
  }

  private async read(run_id: string): Promise<Thread> {
    const thread = this.threads.get(run_id) ?? new Thread(this.ledger, run_id)
    this.threads.delete(run_id)
    this.threads.set(run_id, thread)
    const [oldest] = this.threads.keys()
    if (this.threads.size > KEPT_THREADS && oldest !== undefined) this.threads.delete(oldest)
    await thread.upToDate()
    return thread
  }

  private async *runs(): AsyncGenerator<string> {
    for (let after: string | undefined; ;) {
      const runs = await this.ledger.ids({ kind: "run", prefix: sessionRuns(HOST), after, limit: PAGE_RUNS })
      yield* runs
      after = runs.at(-1)
      if (runs.length < PAGE_RUNS) return
    }
  }

  private async dump(value: unknown): Promise<Serialized> {
    return serializedOf(await this.serde.dumpsTyped(value))
  }

  private load([type, encoding, data]: Serialized): Promise<unknown> {
    return this.serde.loadsTyped(type, Buffer.from(data, encoding === "text" ? "utf8" : "base64"))
  }

  private async metadataOf({ metadata }: SavedCheckpoint): Promise<CheckpointMetadata> {
    return (await this.load(metadata)) as CheckpointMetadata
  }

  private configOf(thread_id: string, checkpoint_ns: string, checkpoint_id: string): Config {
    return { configurable: { thread_id, checkpoint_ns, checkpoint_id } }
  }

  private async checkpointOf(thread: Thread, saved: SavedCheckpoint): Promise<Checkpoint> {
    const channels = [...saved.values.map(([channel]) => channel), ...saved.carried]
    const values = await Promise.all(
      channels.map(async (channel) => [channel, await this.load(thread.valueOf(saved, channel)!)] as const)
    )
    const checkpoint = copyCheckpoint({ ...saved.checkpoint, channel_values: Object.fromEntries(values) })
    if (checkpoint.v >= SENDS_ARE_WRITES || saved.parent === undefined) return checkpoint
    const sends = thread.writesOn(saved.ns, saved.parent).filter(({ channel }) => channel === TASKS)
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => this.load(value)))
    const versions = Object.values(checkpoint.channel_versions)
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined)
    return checkpoint
  }

  private async tupleOf(thread: Thread, saved: SavedCheckpoint): Promise<CheckpointTuple> {
    const { id, ns, parent } = saved
    return {
      config: this.configOf(thread.id, ns, id),
      checkpoint: await this.checkpointOf(thread, saved),
      metadata: await this.metadataOf(saved),
      pendingWrites: await Promise.all(
        thread
          .writesOn(ns, id)
          .map(async ({ channel, task, value }): Promise<CheckpointPendingWrite> => [
            task,
            channel,
            await this.load(value)
          ])
      ),
      ...(parent === undefined ? {} : { parentConfig: this.configOf(thread.id, ns, parent) })
    }
  }
}
