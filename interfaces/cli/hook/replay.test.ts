// Recorded sessions of each host lead to the same head, byte for byte, on any machine: with a given clock and a given ledger id.
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

import * as TestClock from "effect/testing/TestClock"
import { hostNames, type HostName } from "../../../domain/agents/hosts.ts"
import { Ledger } from "../../embedding/ledger.ts"
import { Host } from "../../shared/host.ts"
import { temporaryFolder } from "../testing/in-process.ts"
import { testHost } from "../testing/test-host.ts"
import { quickHookOptions } from "./hook-options.ts"
import { runHook } from "./run-hook.ts"
import { recordedSession, type Told } from "./testing/sessions.ts"

const START = Date.UTC(2026, 0, 1)

/** The heads that the sessions lead to; they change with nothing but the forms of calls and events. */
const heads: { readonly [Name in HostName]: { readonly position: number; readonly hash: string } } = {
  cursor: {
    position: 13,
    hash: "65b02c4f24fb1091ea9da21b1d0feea3d742dfdcb90fba9808580975a01e12b7"
  },
  "gemini-cli": {
    position: 16,
    hash: "a8383488ed91aa0db6b801f68d9cee988cbce8c2dc8af53516ad4b175b506831"
  },
  codex: {
    position: 10,
    hash: "84a5d84979b907fbecdafdea59b676cf5d2d7b7a78f20132297a1968d9614fcd"
  },
  "claude-code": {
    position: 24,
    hash: "3940a5b8543492b268b704cd9ee16552bfd2c54504ef092c2d3d01c25ba18fab"
  }
}

const hooked = Effect.fnUntraced(function* (file: string, { hook, json }: Told) {
  const options = quickHookOptions(["hook", hook, "--db", file])
  if (options === undefined) throw new Error("not a plain command line")
  const host = testHost({
    cwd: "/",
    stdin: async function* () {
      yield Buffer.from(json)
    },
    write: async (_, text) => {
      throw new Error(text)
    }
  })
  yield* runHook(options).pipe(Effect.provideService(Host, host))
})

const withLedger = <A, E>(file: string, use: (ledger: Ledger["Service"]) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.provide(
        Effect.flatMap(Ledger, (ledger) => use(ledger)),
        Ledger.layer({ filename: file, ledgerId: "recorded" })
      ),
      Effect.succeed
    )
  )

describe("a recorded session", () => {
  for (const host of hostNames) {
    it.effect(`of ${host} leads to the same head`, () =>
      Effect.gen(function* () {
        const { folder, remove } = temporaryFolder()
        yield* Effect.addFinalizer(() => Effect.sync(remove))
        const file = join(folder, "calls.db")
        yield* TestClock.setTime(START)
        yield* withLedger(file, ({ head }) => head)
        for (const [index, told] of recordedSession(host).entries()) {
          yield* TestClock.setTime(START + (index + 1) * 1_000)
          yield* hooked(file, told)
        }
        const { report, reached } = yield* withLedger(file, (ledger) =>
          Effect.all({ report: ledger.verifyCassette(), reached: ledger.head })
        )
        assert.deepStrictEqual(report.findings, [])
        assert.deepStrictEqual({ position: reached.position, hash: reached.hash }, heads[host])
      }).pipe(Effect.scoped)
    )
  }
})
