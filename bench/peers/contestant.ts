// What a contestant is: a queue that posts, claims and completes messages, by its name and its file.
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Durability } from "../support/raw-ledger.ts"

/** A queue on a file. */
export interface Contestant {
  /** Posts, claims and completes so many messages, one after the other, as this caller. */
  readonly finish: (caller: string, messages: number) => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * How a program uses ours: three commands for each message, a worker, a post that claims with its completion, or batches of
 * commands.
 */
export type OurWay = "ours" | "worker" | "claimed" | "batches"

/** What is opened, in a process of its own too; `peers` is the folder that holds the peers. */
export interface Opening {
  readonly name: OurWay | "plainjob" | "openworkflow" | "langgraph" | "table" | "emmett"
  readonly file: string
  readonly durability: Durability
  readonly peers: string
}

/** A module of the folder that holds the peers. */
export const imported = async (peers: string, name: string): Promise<unknown> =>
  import(pathToFileURL(createRequire(join(peers, "package.json")).resolve(name)).href)
