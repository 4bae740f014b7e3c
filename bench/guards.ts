// What all triggers and guards cost: the same commands against the ledger as it is, and against the same log and
// tables without a single trigger, where JavaScript writes every row. better-sqlite3 alone on both sides, so that
// nothing but the rules inside the database differs. The unguarded side refuses nothing: it is a measure only.
import { join } from "node:path"
import type Database from "better-sqlite3"
import { schema } from "../migrations/snapshots/0002.ts"
import { compare, microsecondsPer } from "./support/comparison.ts"
import {
  claimed,
  completed,
  messageIdAt,
  payload,
  posted,
  type RawEvent,
  receipt,
  stepIdOf
} from "./support/events.ts"
import { inPlace } from "./support/place.ts"
import { createRawLedger, openDatabase, RawLedger } from "./support/raw-ledger.ts"
import { type Benchmark, line, type Line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const RUN = "run-1"
const WORKER = "worker-1"

/** One side of the comparison: how an event gets into its tables. */
interface Side {
  readonly ledger: RawLedger
  readonly post: (event: RawEvent, messageId: string, key: string, payloadText: string) => void
  readonly claim: (event: RawEvent, stepId: string, token: number) => void
  readonly complete: (event: RawEvent, stepId: string, token: number, receiptText: string) => void
}

const guardedSide = (ledger: RawLedger): Side => {
  const append = (event: RawEvent) => ledger.append(event)
  return { ledger, post: append, claim: append, complete: append }
}

/** The schema without triggers and views, holding what a new ledger holds. */
const createUnguarded = (file: string): Database.Database => {
  const database = openDatabase(file, "NORMAL")
  for (const statement of schema.split(/;\n\n/)) {
    if (!/^(CREATE TRIGGER|create view)/.test(statement)) database.exec(statement)
  }
  return database
}

const unguardedSide = (ledger: RawLedger): Side => {
  const { database } = ledger
  const moveHead = database.prepare("UPDATE head SET size = ?, hash = ?")
  const message = database.prepare("INSERT INTO cassette_messages VALUES (?, ?, 'USER', ?, ?, ?, ?)")
  const job = database.prepare("INSERT INTO cassette_jobs VALUES (?, ?, ?, 1, ?, ?)")
  const step = database.prepare(
    "INSERT INTO cassette_steps VALUES (?, ?, 1, 'PENDING', NULL, NULL, 0, ?, ?, ?, ?)"
  )
  const lease = database.prepare(
    "UPDATE cassette_steps SET status = 'LEASED', lease_owner = ?, lease_expires_at = ?, fencing_token = ?, event_position = ? WHERE step_id = ?"
  )
  const proof = database.prepare("INSERT INTO cassette_receipts VALUES (?, ?, ?, ?, ?, 'SUCCESS', ?, ?, ?)")
  const commit = database.prepare(
    "UPDATE cassette_steps SET status = 'COMMITTED', event_position = ? WHERE step_id = ?"
  )
  const append = (event: RawEvent): number => {
    ledger.append(event)
    moveHead.run(ledger.head.position, ledger.head.hash)
    return ledger.head.position
  }
  return {
    ledger,
    post: (event, messageId, key, payloadText) => {
      const position = append(event)
      const at = ledger.recordedAt
      const jobId = `job_${messageId.slice(4)}.0001`
      message.run(messageId, RUN, key, payloadText, at, position)
      job.run(jobId, messageId, "summarise", at, position)
      step.run(stepIdOf(messageId, 1, 1), jobId, payloadText, at, RUN, position)
    },
    claim: (event, stepId, token) => {
      lease.run(WORKER, ledger.leaseEnd, token, append(event), stepId)
    },
    complete: (event, stepId, token, receiptText) => {
      const position = append(event)
      const jobId = `job_${stepId.slice(5, -6)}`
      proof.run(
        `rcpt_${stepId.slice(5)}`,
        stepId,
        jobId,
        WORKER,
        token,
        receiptText,
        ledger.recordedAt,
        position
      )
      commit.run(position, stepId)
    }
  }
}

/** Runs `work` so often, in transactions of `group`. */
const inGroups = (side: Side, times: number, group: number, work: (index: number) => void): void => {
  for (let done = 0; done < times; done += group) {
    side.ledger.begin()
    for (let index = done; index < done + group; index++) work(index)
    side.ledger.commit()
  }
}

/** The commands of one side; each takes how many, and in groups of what size. */
const commandsOf = (side: Side) => {
  let number = 0
  const post = (): void => {
    const { head } = side.ledger
    const key = `key-${number}`
    const text = JSON.stringify(payload(number))
    const messageId = messageIdAt(RUN, head.position + 1, key)
    side.post(posted(RUN, messageId, key, text), messageId, key, text)
    number += 1
  }
  const claim = (): { readonly step_id: string; readonly token: number } => {
    const { fencing_token, step_id } = side.ledger.next(RUN)
    const token = fencing_token + 1
    side.claim(claimed(RUN, step_id, token, WORKER, side.ledger.leaseEnd), step_id, token)
    return { step_id, token }
  }
  const complete = ({ step_id, token }: { readonly step_id: string; readonly token: number }): void => {
    const text = JSON.stringify(receipt(number))
    side.complete(completed(RUN, step_id, token, WORKER, text), step_id, token, text)
  }
  return {
    posts: (times: number, group: number) => inGroups(side, times, group, post),
    pairs: (times: number, group: number) => inGroups(side, times, group, () => complete(claim()))
  }
}

type Commands = ReturnType<typeof commandsOf>

const measure = async (
  guarded: Commands,
  unguarded: Commands,
  { group, repeats, times }: { readonly group: number; readonly repeats: number; readonly times: number },
  goals: readonly [string, string]
): Promise<ReadonlyArray<Line>> => {
  const posts = (commands: Commands) => () => microsecondsPer(times, () => commands.posts(times, group))
  const pairs = (commands: Commands) => () => microsecondsPer(times, () => commands.pairs(times, group))
  // Every second repeat begins with the pairs, so one repeat's steps must wait already.
  for (const commands of [guarded, unguarded]) commands.posts(times, group)
  const figures = await compare(repeats, {
    guardedPosts: posts(guarded),
    unguardedPosts: posts(unguarded),
    guardedPairs: pairs(guarded),
    unguardedPairs: pairs(unguarded)
  })
  for (const commands of [guarded, unguarded]) commands.pairs(times, group)
  const size = group === 1 ? "single transactions" : `groups of ${group}`
  return [
    line(`post, ${size}`, "microseconds", figures.guardedPosts, figures.unguardedPosts, goals[0]),
    line(
      `claim and complete, ${size}`,
      "microseconds",
      figures.guardedPairs,
      figures.unguardedPairs,
      goals[1]
    )
  ]
}

/** Bytes of the whole database by finished step. */
const bytesPerStep = ({ database }: RawLedger): number => {
  const pages = Number(database.pragma("page_count", { simple: true }))
  const size = Number(database.pragma("page_size", { simple: true }))
  const steps =
    database.prepare<[], number>("SELECT count(*) FROM cassette_steps").pluck().get() ?? Number.NaN
  return (pages * size) / steps
}

export const benchmark: Benchmark = {
  description: "all triggers and guards against the same log and tables written from JavaScript without any",
  run: () =>
    inPlace("memory disk", async (folder, place) => {
      const repeats = setting("BENCH_REPEATS", 15)
      const times = Math.ceil(setting("BENCH_STEPS", 1_280) / 64) * 64
      const guarded = guardedSide(await createRawLedger(join(folder, "guarded.db"), "NORMAL"))
      const unguarded = unguardedSide(new RawLedger(createUnguarded(join(folder, "unguarded.db"))))
      const ours = commandsOf(guarded)
      const floor = commandsOf(unguarded)
      for (const warm of [ours, floor]) {
        warm.posts(1_024, 64)
        warm.pairs(1_024, 64)
      }
      const inSixtyFours = { group: 64, repeats, times }
      const singly = { group: 1, repeats, times }
      const lines = [
        ...(await measure(ours, floor, inSixtyFours, ["ratio at most 1.6", "ratio at most 1.8"])),
        ...(await measure(ours, floor, singly, ["ratio at most 1.3", "ratio at most 1.5"])),
        line(
          "file size by finished step",
          "bytes",
          [bytesPerStep(guarded.ledger)],
          [bytesPerStep(unguarded.ledger)]
        )
      ]
      guarded.ledger.close()
      unguarded.ledger.close()
      return { place, settings: { repeats, steps: times, payload_bytes: 230, synchronous: "NORMAL" }, lines }
    })
}
