// What is remembered between two questions is never of another state of the file, of another caller, or too much.
import { describe, expect, it } from "vitest"
import { type Connection, openForReading } from "../../sqlite/connection/better-sqlite3-host.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import { finishWriting } from "../writing/document-writing.ts"
import { knownPostings } from "./known-postings.ts"
import { saveMemory } from "../writing/memory-writing.ts"
import { at, newCassette, put } from "../testing/cassettes.ts"

const seenBy = (owner: string | undefined) => ({
  hidden: undefined,
  owner,
  segments: undefined,
  isEmpty: false
})

const countsOf = (connection: Connection, terms: ReadonlyArray<string>, owner?: string) =>
  connection.snapshot(() =>
    knownPostings(connection, seenBy(owner))
      .listsOf(terms)
      .map((rows) => rows.reduce((sum, { chunks }) => sum + chunks, 0))
  )

describe("remembered postings", () => {
  it("are read again when another connection has written", () => {
    const { connection: writer, file } = newCassette(temporaryFolder(), "one")
    const reader = openForReading(file)
    const length = () => reader.snapshot(() => knownPostings(reader, seenBy(undefined)).lengthsOf(0).length)
    put(writer, "a/one.txt", "harbour")
    finishWriting(writer)
    expect([countsOf(reader, ["harbour", "ship"]), length()]).toEqual([[1, 0], 1])
    put(writer, "a/two.txt", "harbour ship")
    finishWriting(writer)
    expect([countsOf(reader, ["harbour", "ship"]), length()]).toEqual([[2, 1], 2])
    reader.close()
    writer.close()
  })

  it("are kept while nothing is written", () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    const first = connection.snapshot(() => knownPostings(connection, seenBy(undefined)))
    expect(connection.snapshot(() => knownPostings(connection, seenBy(undefined)))).toBe(first)
    connection.close()
  })

  it("are of one caller alone", () => {
    const { connection, file } = newCassette(temporaryFolder(), "one", "read-write", "private")
    for (const [index, agent_id] of ["a", "b", "b"].entries()) {
      const text = `harbour of ${agent_id} ${index}`
      saveMemory(connection, { text, agent_id, metadata: "{}" }, at(1))
    }
    finishWriting(connection)
    connection.close()
    const reader = openForReading(file)
    const asked = ["a", "b", "", "a"].map((owner) => countsOf(reader, ["harbour"], owner))
    expect(asked).toEqual([[1], [2], [0], [1]])
    reader.close()
  })

  it("are given up when they are too many, and are right all the same", () => {
    const { connection } = newCassette(temporaryFolder(), "one")
    const terms = Array.from({ length: 6_000 }, (_, number) => `w${number}`)
    put(connection, "a/one.txt", terms.join("\n\n"))
    finishWriting(connection)
    const known = () => connection.snapshot(() => knownPostings(connection, seenBy(undefined)))
    const once = known().listsOf(terms)
    expect(once.every((rows) => rows.length === 1)).toBe(true)
    const again = known().listsOf(terms)
    expect(again).toEqual(once)
    expect(again[0]).not.toBe(once[0])
    expect(known().listsOf(["w1"])[0]).toBe(known().listsOf(["w1"])[0])
    connection.close()
  })
})
