// Properties of dossiers: of any random history each choice verifies, also against the ledger; and no byte of a small dossier can be
// changed without being found, by two verifiers that share no line.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, describe, expect } from "vitest"
import { broken, hasPython, secondOpinions } from "../infrastructure/dossiers/testing/broken-dossiers.ts"
import {
  exported,
  openStory,
  reportAt,
  reportWith,
  type Story
} from "../infrastructure/dossiers/testing/dossiers.ts"
import { propParameters } from "./support/configuration.ts"

const place = mkdtempSync(join(tmpdir(), "cassette-dossiers-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** What a random program does next, in one of two runs and two tasks. */
const action = fc.record({
  kind: fc.constantFrom("post", "claim", "complete", "renew", "requeue", "think"),
  run: fc.constantFrom("run-a", "run-b"),
  text: fc
    .string({ unit: "binary", maxLength: 8 })
    .map((text) => text.toWellFormed().replaceAll("\u0000", "")),
  number: fc.double({ noNaN: true, noDefaultInfinity: true })
})

type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

/** Carries out what is possible, and passes over the rest. */
const act = Effect.fnUntraced(function* ({ ledger, thoughts }: Story, actions: ReadonlyArray<Action>) {
  const leases = new Map<
    string,
    { run_id: string; step_id: string; worker_id: string; fencing_token: number }
  >()
  for (const { kind, number, run, text } of actions) {
    const lease = leases.get(run)
    if (kind === "post") {
      yield* ledger.postMessage({
        run_id: run,
        source: "USER",
        payload: { text, number },
        jobs: [{ intent: text, steps: [{ text }, { number }] }]
      })
    } else if (kind === "think") {
      yield* thoughts.createThoughtRecord({ task_id: run, agent_id: "w", type: "plan", content: text })
    } else if (kind === "claim" && lease === undefined) {
      const claimed = yield* Effect.result(ledger.claimStep({ run_id: run, worker_id: "w", ttl_seconds: 60 }))
      if (claimed._tag === "Success") leases.set(run, claimed.success.lease)
    } else if (kind === "renew" && lease !== undefined) {
      const { fencing_token } = yield* ledger.renewLease({ ...lease, ttl_seconds: 60 })
      leases.set(run, { ...lease, fencing_token })
    } else if (lease !== undefined && (kind === "complete" || kind === "requeue")) {
      leases.delete(run)
      if (kind === "complete")
        yield* ledger.completeStep({ ...lease, outcome: "SUCCESS", receipt_payload: { number } })
      else yield* ledger.requeueStep({ ...lease, requested_by: "w", reason: text })
    }
  }
})

describe("a dossier", () => {
  it.live("of any history verifies, whole and without bodies, and is complete", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 40 }), (actions) =>
          Effect.gen(function* () {
            const story = yield* openStory()
            const post: Action = { kind: "post", run: "run-a", text: "", number: 0 }
            const think: Action = { kind: "think", run: "run-a", text: "", number: 0 }
            yield* act(story, [post, think, ...actions])
            const request = { run_id: "run-a", tasks: ["run-a"] }
            const paths = [
              (yield* exported(story, "whole", request)).path,
              (yield* exported(story, "hashed", { ...request, bodies: "hashed" })).path,
              (yield* exported(story, "a.tar", { ...request, packed: true })).path
            ]
            for (const path of paths) {
              const report = yield* reportWith(story, path)
              expect(report).toMatchObject({ verdict: "PASS", findings: [], complete: true, newer_events: 0 })
            }
            if (!hasPython) return
            const trust = join(story.folder, "trust.json")
            writeFileSync(trust, JSON.stringify(story.trust))
            for (const { codes } of secondOpinions(trust, paths)) expect(codes).toEqual([])
          }).pipe(Effect.scoped, Effect.runPromise)
        ),
        propParameters(0.2)
      )
    )
  )

  it.live("is found out whichever byte was changed, and in whichever way", () =>
    Effect.gen(function* () {
      const story = yield* openStory()
      yield* act(story, [
        { kind: "post", run: "run-a", text: "a", number: 0.5 },
        { kind: "claim", run: "run-a", text: "", number: 0 },
        { kind: "complete", run: "run-a", text: "", number: 1 },
        { kind: "think", run: "run-a", text: "b", number: 0 }
      ])
      const trust = join(story.folder, "trust.json")
      writeFileSync(trust, JSON.stringify(story.trust))
      for (const bodies of ["whole", "hashed"] as const) {
        const { path } = yield* exported(story, bodies, { run_id: "run-a", tasks: ["run-a"], bodies })
        const sample: Array<string> = []
        for (const name of readdirSync(path)) {
          const bytes = readFileSync(join(path, name))
          const copy = broken(path, join(place, `${bodies}-${name}`), () => undefined)
          for (let at = 0; at < bytes.length; at++) {
            const changed = Buffer.from(bytes)
            changed[at] = bytes[at]! ^ (1 << (at % 8))
            writeFileSync(join(copy, name), changed)
            const { verdict } = yield* reportAt(copy, story.trust)
            expect(verdict, `${bodies} ${name} byte ${at}`).not.toBe("PASS")
            if (at % 40 === 0) {
              const file = join(place, `${bodies}-${name}-${at}`)
              sample.push(broken(copy, file, () => undefined))
            }
          }
        }
        if (!hasPython) continue
        for (const opinion of secondOpinions(trust, sample)) expect(opinion.exit, opinion.path).not.toBe(0)
      }
    }).pipe(Effect.scoped)
  )
})
