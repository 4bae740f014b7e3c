// The decider of thoughts: the event it makes, the chain it continues, the id it refuses.
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { givenState } from "../../foundation/given-when-then.ts"
import { evolve } from "../evolve.ts"
import { ZERO_HASH } from "../limits.ts"
import { MemoryFold } from "../testing/memory-fold.ts"
import { at, eventAt, momentAt, sha256 } from "../testing/samples.ts"
import type { RecordThought } from "./commands.ts"
import { decideThought, type ThoughtState } from "./decide.ts"
import { computeHash } from "./thought-record.ts"

const command = {
  id: "r1",
  type: "plan",
  task_id: "t:1",
  agent_id: "a1",
  content: "hello",
  timestamp: "2026-04-17T00:00:00Z"
} as const

const given = givenState({
  decide: (thought: RecordThought, state: ThoughtState) => decideThought(thought, state, momentAt(0))
})

const decided = (tail: string | undefined) => given({ takenBy: undefined, tail }).when(command).outcome()

describe("a decided thought", () => {
  it("begins its task's chain, or continues it", () => {
    expect(decided(undefined).reply.prev_hash).toBe(ZERO_HASH)
    const tail = "f".repeat(64)
    const { events, reply } = decided(tail)
    expect(reply).toStrictEqual({
      ...command,
      prev_hash: tail,
      hash: computeHash(sha256, { ...command, prev_hash: tail })
    })
    expect(events[0]).toStrictEqual({
      type: "ThoughtRecorded",
      stream_id: "task:t:1",
      data: `{"agent_id":"a1","content":"hello","hash":"${reply.hash}","id":"r1","prev_hash":"${tail}","timestamp":"2026-04-17T00:00:00Z","type":"plan"}`
    })
  })

  it("is refused when its id is taken", () => {
    given({ takenBy: "t2", tail: undefined })
      .when(command)
      .thenRefuses({ _tag: "DuplicateId", id: "r1", task_id: "t2" })
  })
})

describe("the second projection of a thought", () => {
  const { reply } = decided(undefined)
  const { task_id, ...data } = reply
  const event = (stream: string) => eventAt(7, 3, "ThoughtRecorded", data, stream)

  it("is the record with its event's time and position", () => {
    expect(Result.getOrThrow(evolve(new MemoryFold(), event("task:t:1")))).toStrictEqual([
      { table: "thought_records", row: { ...reply, task_id, created_at: at(3), event_position: 7 } }
    ])
  })

  it.each(["run:t:1", "ledger", "task:", "tasks:1"])("does not follow from the stream %s", (stream) => {
    const folded = evolve(new MemoryFold(), event(stream))
    expect(Result.isFailure(folded) && folded.failure).toStrictEqual({
      position: 7,
      message: `ThoughtRecorded: stream ${stream} is not the stream of a task`
    })
  })
})
