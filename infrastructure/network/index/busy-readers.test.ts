// Readers beside writers: a cassette whose file is locked for a moment is waited for, and one that stays locked
// is told after the deadline, in this process and in a child.
import { join } from "node:path"
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { childCassette } from "../children/child-cassette.ts"
import { type CassetteAddress, localCassette } from "./local-cassette.ts"
import { patiently } from "./patient-reading.ts"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import { cassetteWith, withNetworkOf } from "../testing/cassettes.ts"

/** Keeps every reader out, as the last connection does while it takes the log away. */
const locked = (file: string) => {
  const holder = new Database(file)
  holder.pragma("locking_mode = EXCLUSIVE")
  holder.exec("BEGIN EXCLUSIVE; COMMIT")
  onTestFinished(() => {
    holder.close()
  })
  return holder
}

const offline = (fault: { readonly busy?: true }) =>
  new CassetteOffline({ cassette_id: "one", status: "offline", reason: "locked", ...fault })

describe.each([
  ["in this process", 20, localCassette],
  // Its process must have started before the lock is gone.
  ["in a child", 700, childCassette]
])(
  "a cassette that is read %s",
  (_, lockedMillis, cassetteOf: (address: CassetteAddress) => ReturnType<typeof localCassette>) => {
    const open = (folder: string, busyDeadlineMillis?: number) => {
      const file = join(folder, "one.db")
      const cassette = cassetteOf({ id: "one", file, shownPath: "one.db", busyDeadlineMillis })
      onTestFinished(() => Effect.runPromise(cassette.close))
      return cassette
    }

    it("waits while its file is locked", async () => {
      const folder = temporaryFolder()
      const holder = locked(cassetteWith(folder, "one", { "a.md": "some text" }))
      setTimeout(() => holder.close(), lockedMillis)
      const { answers, hits } = await withNetworkOf([open(folder)], (network) => network.query("text"))
      expect([answers["one"]?.status, hits.length]).toEqual(["ok", 1])
    })

    it("is told to be locked after the deadline", async () => {
      const folder = temporaryFolder()
      locked(cassetteWith(folder, "one", { "a.md": "some text" }))
      const failure = await Effect.runPromise(Effect.flip(open(folder, 5).getStats))
      expect(failure).toMatchObject({ cassette_id: "one", status: "offline", busy: true })
      expect(failure.reason).toContain("locked by another program")
    })
  }
)

describe("waiting for a writer", () => {
  it("repeats what was busy, and nothing else", async () => {
    const faults = [offline({ busy: true }), offline({ busy: true }), offline({})]
    let asked = 0
    const ask = Effect.suspend(() => Effect.fail(faults[asked++]!))
    expect(await Effect.runPromise(Effect.flip(patiently(ask)))).toBe(faults[2])
    expect(asked).toBe(3)
  })
})
