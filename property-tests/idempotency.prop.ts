// Idempotency: with any message, however its keys are ordered, however often, on whichever connection, in whichever trace
// and however close together it is posted again, it is one message with one set of ids; and another message under the
// same key is refused and leaves nothing.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jcsText } from "../domain/canonical/jcs.ts"
import type { JsonObject, JsonValue } from "../domain/canonical/json.ts"
import {
  jsonArbitrary,
  numberArbitrary,
  withKeysReversed
} from "../domain/canonical/testing/json-arbitrary.ts"
import { sha256 } from "../infrastructure/hashing/node-hashing.ts"
import { propParameters } from "./support/configuration.ts"
import { KeyBook } from "../interfaces/test-kit/laws/key-law.ts"
import type { Jobs, PostCommand as Post } from "../interfaces/test-kit/ledger-model.ts"
import { LedgerSystem } from "./support/ledger-system.ts"

const holdsNul = (value: JsonValue): boolean => {
  if (typeof value === "string") return value.includes("\u0000")
  if (value === null || typeof value !== "object") return false
  return Object.entries(value).some(
    ([key, member]) => key.includes("\u0000") || holdsNul(member as JsonValue)
  )
}

const payload: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    fc.constantFrom("a", "b", "intent", "traceparent", "é", "10", "9"),
    jsonArbitrary(numberArbitrary),
    {
      maxKeys: 4,
      noNullPrototype: true
    }
  )
  .filter((value) => !holdsNul(value))

const jobs: fc.Arbitrary<Jobs | undefined> = fc.option(
  fc.array(
    fc.record({
      intent: fc.constantFrom("", "one"),
      steps: fc.array(payload, { minLength: 1, maxLength: 2 })
    }),
    { minLength: 1, maxLength: 2 }
  ),
  { nil: undefined }
)

/** The trace of the one who posts; it makes no other message. Payloads and steps may have a key of this name, which does. */
const trace = fc.option(
  fc.constantFrom(
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "fe-00000000000000000000000000000001-8000000000000000-ff"
  ),
  { nil: undefined }
)

const post: fc.Arbitrary<Post> = fc.record({
  kind: fc.constant("post" as const),
  run_id: fc.constantFrom("run-a", "run-b"),
  source: fc.constantFrom("USER", "PLANNER"),
  payload,
  idempotency_key: fc.constantFrom("k", 'other \u2028 "key"', "😀"),
  jobs
})

const reversed = (command: Post): Post => ({
  ...command,
  payload: withKeysReversed(command.payload as JsonValue) as JsonObject
})

/** Few messages, each with neighbours that differ from it in one thing. */
const neighbours = fc
  .tuple(post, payload, jobs)
  .map(([message, payload, jobs]): ReadonlyArray<Post> => [
    message,
    { ...message, source: message.source === "USER" ? "PLANNER" : "USER" },
    { ...message, payload },
    { ...message, jobs },
    { ...message, run_id: "run-c" }
  ])

/** Posts of few different messages, many times over. */
const posts = fc.array(neighbours, { minLength: 1, maxLength: 2 }).chain((messages) =>
  fc.array(
    fc.record({
      post: fc.constantFrom(...messages.flat()),
      reversed: fc.boolean(),
      traces: fc.tuple(trace, trace),
      system: fc.nat({ max: 1 }),
      together: fc.boolean()
    }),
    { minLength: 4, maxLength: 16 }
  )
)

interface Drawn {
  readonly post: Post
  readonly reversed: boolean
  readonly traces: readonly [string | undefined, string | undefined]
  readonly system: number
  readonly together: boolean
}

const play = async (
  systems: readonly [LedgerSystem, LedgerSystem],
  drawn: ReadonlyArray<Drawn>
): Promise<void> => {
  const book = new KeyBook()
  let position = 1
  for (const { post, together, ...how } of drawn) {
    const [traceparent, other] = how.traces
    const command = { ...(how.reversed ? reversed(post) : post), traceparent }
    const commands = together ? [command, { ...post, traceparent: other }, command] : [command]
    const answers = await systems[how.system === 0 ? 0 : 1].perform(commands)
    for (const answer of answers) {
      book.see({ command: post, answer })
      if ((answer["reply"] as { created: boolean } | undefined)?.created === true) position += 1
      if (answer.tag === "done") continue
      const known = book.firstOf(post)
      expect(answer).toMatchObject({
        tag: "IdempotencyConflict",
        stored_payload_hash: sha256(jcsText(known?.payload)),
        given_payload_hash: sha256(jcsText(post.payload)),
        stored_source: known?.source,
        given_source: post.source
      })
      expect(answer["differs"]).not.toHaveLength(0)
    }
    const head = await systems[0].run(systems[0].ledger.head)
    expect(head.position).toBe(position)
  }
  const report = await systems[1].run(systems[1].ledger.verifyCassette({ pure: true }))
  expect(report.findings).toStrictEqual([])
}

describe("a key", () => {
  it("names one message forever", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cassette-idempotency-"))
    let files = 0
    try {
      await fc.assert(
        fc.asyncProperty(posts, async (drawn) => {
          const filename = join(folder, `${(files += 1)}.db`)
          const systems = [new LedgerSystem(filename), new LedgerSystem(filename)] as const
          try {
            for (const system of systems) await system.open()
            await play(systems, drawn)
          } finally {
            for (const system of systems) await system.close()
          }
        }),
        propParameters(0.25)
      )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
