// The session store of the Claude Agent SDK: beside the SDK's own store in memory, through the SDK's own readers, and with keys and
// entries that are hard to keep.
import {
  deleteSession,
  getSessionMessages,
  InMemorySessionStore,
  listSessions
} from "@anthropic-ai/claude-agent-sdk"
import type { SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk"
import * as fc from "fast-check"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { temporaryFolder } from "../../infrastructure/testing/temporary-folder.ts"
import { openLedger, type PromiseLedger } from "../promise/index.ts"
import { ledgerSessionStore } from "./claude-agent-sdk.ts"

const open: Array<PromiseLedger> = []
afterEach(() => Promise.all(open.splice(0).map((ledger) => ledger.close())))

const ledgerAt = async (filename = ":memory:"): Promise<PromiseLedger> => {
  const ledger = await openLedger({ filename })
  open.push(ledger)
  return ledger
}

const key = { projectKey: "-home-ada", sessionId: "s1" }
const entry = (uuid: string, more: object = {}): SessionStoreEntry => ({ type: "user", uuid, ...more })

describe("a session store", () => {
  it("loads what was appended, in its order, and leaves no step open", async () => {
    const ledger = await ledgerAt()
    const store = ledgerSessionStore({ ledger })
    await Promise.all([store.append(key, [entry("1"), entry("2")]), store.append(key, [{ type: "title" }])])
    expect(await store.load(key)).toEqual([entry("1"), entry("2"), { type: "title" }])
    expect(await ledger.leases()).toEqual([])
    expect(await ledger.waiting()).toEqual([])
    expect((await ledger.verifyCassette()).verdict).toBe("PASS")
    expect((await ledger.runs()).map(({ run_id }) => run_id)).toEqual([
      "session/claude-agent-sdk:-home-ada/s1"
    ])
  })

  it("knows an entry that is told again by its uuid, and tells entries without one apart", async () => {
    const store = ledgerSessionStore({ ledger: await ledgerAt() })
    const title = { type: "title", title: "t" }
    await store.append(key, [entry("1"), title])
    await store.append(key, [entry("1"), title, entry("2")])
    expect(await store.load(key)).toEqual([entry("1"), title, title, entry("2")])
  })

  it("answers null for what is unknown or deleted, and keeps in the ledger what was deleted", async () => {
    const ledger = await ledgerAt()
    const store = ledgerSessionStore({ ledger })
    expect(await store.load(key)).toBeNull()
    await store.delete(key)
    expect((await ledger.head()).position).toBe(1)
    await store.append(key, [entry("1")])
    await store.delete(key)
    expect(await store.load(key)).toBeNull()
    expect(await store.listSessions(key.projectKey)).toEqual([])
    const [first] = await ledger.messages("session/claude-agent-sdk:-home-ada/s1")
    expect(first?.payload_json).toContain("uuid")
    await store.append(key, [entry("1", { again: true })])
    expect(await store.load(key)).toEqual([entry("1", { again: true })])
  })

  it("keeps entries that no payload could hold, and 4 MB of them", async () => {
    const store = ledgerSessionStore({ ledger: await ledgerAt() })
    let deep: unknown = 1
    for (let level = 0; level < 200; level++) deep = [deep]
    const entries = [
      entry("1", { text: "\u0000 \ud800 \udc00\ud800 \u{1f600}" }),
      entry("2", { deep }),
      entry("3", { long: "\u{1f600}".repeat(1_000_000) }),
      entry("4", JSON.parse(`{"__proto__":1,"1":2,"\\ud800":3,"":4}`) as object)
    ]
    await store.append(key, entries)
    expect(await store.load(key)).toEqual(entries)
  })

  it.each([
    [[entry("1", { n: 1n })], "/entries: no JSON"],
    [[undefined], "/entries/0: an entry is a JSON object"],
    [[entry("1"), "text"], "/entries/1: an entry is a JSON object"]
  ])("refuses what is no JSON, and appends nothing of it: %#", async (entries, message) => {
    const ledger = await ledgerAt()
    const store = ledgerSessionStore({ ledger })
    await expect(store.append(key, entries as Array<SessionStoreEntry>)).rejects.toThrow(message)
    const circle: Record<string, unknown> = {}
    circle["self"] = circle
    await expect(store.append(key, [entry("1", circle)])).rejects.toThrow("/entries: no JSON")
    expect((await ledger.head()).position).toBe(1)
  })

  it("keeps sessions apart whatever they are called, and refuses names that cannot be stored", async () => {
    const store = ledgerSessionStore({ ledger: await ledgerAt() })
    const names = ["", "a/b", "a", "b", "~", "%2F", "x".repeat(10_000), "y".repeat(10_000)]
    const keys = names.flatMap((projectKey) => names.map((sessionId) => ({ projectKey, sessionId })))
    for (const [index, each] of keys.entries()) await store.append(each, [entry(String(index))])
    for (const [index, each] of keys.entries()) expect(await store.load(each)).toEqual([entry(String(index))])
    for (const projectKey of names) {
      const listed = await store.listSessions(projectKey)
      expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual(names.toSorted())
    }
    const unnameable = { ...key, sessionId: "\u0000" }
    await expect(store.append(unnameable, [entry("1")])).rejects.toThrow("U+0000")
    expect(await store.load(unnameable)).toBeNull()
    await expect(store.load({ ...key, sessionId: "\ud800" })).rejects.toThrow("well-formed text")
    await expect(store.load({ ...key, subpath: "" })).rejects.toThrow("/subpath")
  })

  it("takes what two writers append to one session at once", async () => {
    const filename = join(temporaryFolder(), "work.db")
    const stores = [await ledgerAt(filename), await ledgerAt(filename)].map((ledger) =>
      ledgerSessionStore({ ledger })
    )
    await Promise.all(
      stores.flatMap((store, writer) =>
        Array.from({ length: 20 }, (_, n) =>
          store.append(key, [entry(`${writer}.${n}`), entry(`${writer}.${n}b`)])
        )
      )
    )
    const loaded = (await stores[0]?.load(key)) ?? []
    expect(loaded).toHaveLength(80)
    for (const writer of [0, 1]) {
      const own = loaded.flatMap(({ uuid }) => (uuid?.startsWith(`${writer}.`) ? [uuid] : []))
      expect(own).toEqual(Array.from({ length: 20 }, (_, n) => [`${writer}.${n}`, `${writer}.${n}b`]).flat())
    }
    // No batch was parted by another's.
    for (const [index, { uuid }] of loaded.entries()) {
      if (uuid?.endsWith("b") === true) expect(loaded[index - 1]?.uuid).toBe(uuid.slice(0, -1))
    }
  })

  it("says which message no adapter wrote", async () => {
    const ledger = await ledgerAt()
    const run_id = "session/claude-agent-sdk:-home-ada/s1"
    const { message_id } = await ledger.postMessage({
      run_id,
      source: "USER",
      payload: { intent: "append", part: 1, parts: 1, json: "{}" }
    })
    await expect(ledgerSessionStore({ ledger }).load(key)).rejects.toThrow(`Message ${message_id} is none`)
  })

  it("does what the SDK's own store does", async () => {
    const subpath = fc.option(fc.constantFrom("subagents/a", "subagents/b"), { nil: undefined })
    const name = fc.constantFrom("s1", "s2", "s3")
    const action = fc.record({
      op: fc.constantFrom("append", "append", "delete"),
      sessionId: name,
      subpath,
      text: fc.string({ unit: "binary" })
    })
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), async (actions) => {
        const ledger = await openLedger({ filename: ":memory:" })
        const [ours, theirs] = [ledgerSessionStore({ ledger }), new InMemorySessionStore()]
        for (const [index, { op, sessionId, subpath: at, text }] of actions.entries()) {
          const place = { projectKey: "p", sessionId, ...(at === undefined ? {} : { subpath: at }) }
          for (const store of [ours, theirs]) {
            await (op === "append"
              ? store.append(place, [entry(String(index), { text })])
              : store.delete(place))
          }
        }
        for (const sessionId of ["s1", "s2", "s3"]) {
          const place = { projectKey: "p", sessionId }
          expect(await ours.load(place)).toEqual(await theirs.load(place))
          const subkeys = await ours.listSubkeys(place)
          expect(subkeys.toSorted()).toEqual((await theirs.listSubkeys(place)).toSorted())
          for (const at of subkeys) {
            expect(await ours.load({ ...place, subpath: at })).toEqual(
              await theirs.load({ ...place, subpath: at })
            )
          }
        }
        const ids = async (store: typeof ours) =>
          (await store.listSessions("p")).map(({ sessionId }) => sessionId).sort()
        expect(await ids(ours)).toEqual(await ids(theirs))
        await ledger.close()
      }),
      { numRuns: 40 }
    )
  })

  it("is read and written by the SDK itself", async () => {
    const sessionStore = ledgerSessionStore({ ledger: await ledgerAt() })
    const dir = temporaryFolder()
    const sessionId = "6f8d0f2e-6f35-4d57-9b4c-0d3f1f6f9a11"
    // The SDK's own key of a folder is what it asks for, so it is read from what it asks.
    const asked: Array<string> = []
    const spy = {
      ...sessionStore,
      load: (place: typeof key) => (asked.push(place.projectKey), sessionStore.load(place))
    }
    await getSessionMessages(sessionId, { dir, sessionStore: spy })
    const [projectKey = ""] = asked
    const message = { role: "user", content: "Hello" }
    const uuid = "11111111-1111-4111-8111-111111111111"
    const timestamp = "2026-01-01T00:00:00.000Z"
    await sessionStore.append({ projectKey, sessionId }, [
      { type: "user", uuid, parentUuid: null, sessionId, timestamp, isSidechain: false, message }
    ])
    const messages = await getSessionMessages(sessionId, { dir, sessionStore })
    expect(messages.map((each) => [each.uuid, each.message])).toEqual([[uuid, message]])
    expect((await listSessions({ dir, sessionStore })).map((each) => each.sessionId)).toEqual([sessionId])
    await deleteSession(sessionId, { dir, sessionStore })
    expect(await listSessions({ dir, sessionStore })).toEqual([])
  })
})
