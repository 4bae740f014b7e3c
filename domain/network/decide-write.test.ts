// What becomes of a write to a cassette, by its mutability: the whole table, told as examples.
import * as Result from "effect/Result"
import { describe, it } from "vitest"
import { givenState } from "../foundation/given-when-then.ts"
import type { MemoryScope } from "./cassette.ts"
import {
  decideDocument,
  decideForgetting,
  decideMemory,
  decideRemoval,
  type HeldDocument,
  type HeldMemory
} from "./decide-write.ts"

/** A cassette with what it holds of one thing. */
interface Cassette<Held> {
  readonly mutability: string
  readonly isSealed?: boolean
  readonly held?: Held
}

const rules = ({ isSealed = false, mutability }: Cassette<unknown>) => ({ mutability, isSealed })

const NOW = "2026-01-02T00:00:00.000Z"

const ALL = ["immutable", "stable", "append-only", "mutable", "read-write", "ephemeral"] as const

describe("a document", () => {
  type Given = Pick<HeldDocument, "content_hash" | "type">
  const given = givenState({
    decide: (command: Given, state: Cassette<HeldDocument>) =>
      Result.succeed(decideDocument(rules(state), state.held, command, NOW))
  })
  const held = { content_hash: "a", type: "text", version: 3, expires_at: null }

  it.each(ALL)("that is new is added to a cassette that is %s", (mutability) => {
    given({ mutability }).when(held).thenDecides({ decision: "add", version: 1 })
  })

  it.each(ALL)("that is held as it is stays in a cassette that is %s, sealed or not", (mutability) => {
    for (const isSealed of [false, true])
      given({ mutability, isSealed, held }).when(held).thenDecides({ decision: "unchanged" })
  })

  it.each(ALL)("that is not held as it is, is refused by a sealed cassette that is %s", (mutability) => {
    const changed = { ...held, content_hash: "b" }
    given({ mutability, isSealed: true }).when(held).thenDecides({ decision: "refuse" })
    given({ mutability, isSealed: true, held }).when(changed).thenDecides({ decision: "refuse" })
  })

  const replaced = { decision: "replace", version: 1 } as const
  const changes = {
    immutable: { decision: "refuse" },
    stable: { decision: "newVersion", version: 4, isOlderSearched: false },
    "append-only": { decision: "newVersion", version: 4, isOlderSearched: true },
    mutable: replaced,
    "read-write": replaced,
    ephemeral: replaced
  } as const

  it.each(ALL)("whose text or type has changed, in a cassette that is %s", (mutability) => {
    for (const change of [{ content_hash: "b" }, { type: "code" }])
      given({ mutability, held })
        .when({ ...held, ...change })
        .thenDecides(changes[mutability])
  })

  it("has expired when its time ends at this moment, and not before", () => {
    const until = (expires_at: string) =>
      given({ mutability: "ephemeral", held: { ...held, expires_at } }).when(held)
    until(NOW).thenDecides({ decision: "expired" })
    until("2026-01-02T00:00:00.001Z").thenDecides({ decision: "unchanged" })
  })

  const takenOut = {
    immutable: "refuse",
    stable: "refuse",
    "append-only": "refuse",
    mutable: "remove",
    "read-write": "remove",
    ephemeral: "remove"
  } as const

  it.each(ALL)("that is to be taken out of a cassette that is %s", (mutability) => {
    const removal = givenState({
      decide: (_: "remove", state: Cassette<HeldDocument>) =>
        Result.succeed(decideRemoval(rules(state), state.held))
    })
    removal({ mutability, held }).when("remove").thenDecides(takenOut[mutability])
    removal({ mutability }).when("remove").thenDecides("unchanged")
  })
})

describe("a memory", () => {
  const given = givenState({
    decide: (agent: string | null, { mutability, scope }: { mutability: string; scope: MemoryScope }) =>
      Result.succeed(decideMemory(mutability, scope, agent))
  })

  it.each(ALL.filter((mutability) => mutability !== "immutable"))("is saved where it is %s", (mutability) => {
    given({ mutability, scope: "shared" }).when("ana").thenDecides({ decision: "save", owner: "" })
    given({ mutability, scope: "shared" }).when(null).thenDecides({ decision: "save", owner: "" })
    given({ mutability, scope: "private" }).when("ana").thenDecides({ decision: "save", owner: "ana" })
    given({ mutability, scope: "private" }).when(null).thenDecides({ decision: "agentMissing" })
  })

  it("is refused by an immutable cassette", () => {
    for (const scope of ["shared", "private"] as const)
      for (const agent of ["ana", null])
        given({ mutability: "immutable", scope }).when(agent).thenDecides({ decision: "refuse" })
  })

  it("is forgotten where its own agent asks and the cassette lets go", () => {
    const forgetting = givenState({
      decide: (_: "forget", { held, mutability }: Cassette<HeldMemory>) =>
        Result.succeed(decideForgetting(mutability, held))
    })
    const [own, shared] = [{ savesByOthers: 0 }, { savesByOthers: 1 }]
    forgetting({ mutability: "mutable" }).when("forget").thenDecides("absent")
    forgetting({ mutability: "mutable", held: own }).when("forget").thenDecides("forget")
    forgetting({ mutability: "mutable", held: shared }).when("forget").thenDecides("saved_by_others")
    forgetting({ mutability: "stable", held: own }).when("forget").thenDecides("kept")
  })
})
