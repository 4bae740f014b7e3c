// What the pure code decides of writes to a cassette, held against the guards in its file: a decision that is carried out by SQL
// alone is accepted, and what is refused is refused on every way by which another program writes it.

import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Mutability } from "../domain/network/cassette.ts"
import {
  decideDocument,
  decideForgetting,
  decideMemory,
  decideRemoval,
  type HeldDocument
} from "../domain/network/decide-write.ts"
import { rulesOf } from "../domain/network/mutability.ts"
import { memoryRecordHash, recordHash, saveRecordHash } from "../domain/network/records.ts"
import { sha256 } from "../infrastructure/hashing/sha256.ts"
import { addReceipt } from "../infrastructure/network/cassette-schema.ts"
import { seal } from "../infrastructure/network/writing/document-writing.ts"
import { at, newCassette } from "../infrastructure/network/testing/cassettes.ts"
import type { Connection } from "../infrastructure/sqlite/connection/better-sqlite3-host.ts"
import { propParameters } from "./support/configuration.ts"

type Stored = HeldDocument & { readonly document_id: number; readonly record_hash: string }

const operation = fc.oneof(
  fc.record({
    kind: fc.constant("put" as const),
    path: fc.constantFrom("a", "b"),
    text: fc.constantFrom("one", "two", "three"),
    day: fc.integer({ min: 1, max: 5 })
  }),
  fc.record({ kind: fc.constant("remove" as const), path: fc.constantFrom("a", "b") }),
  fc.record({
    kind: fc.constant("save" as const),
    text: fc.constantFrom("m1", "m2"),
    agent: fc.constantFrom("ana", "ben", null)
  }),
  fc.record({ kind: fc.constant("forget" as const), text: fc.constantFrom("m1", "m2") }),
  fc.record({ kind: fc.constant("seal" as const) })
)

/** Writes by SQL alone, with the receipts that the chain asks for. */
class Writer {
  readonly connection: Connection
  readonly mutability: Mutability
  readonly isPrivate: boolean

  constructor(connection: Connection, mutability: Mutability, isPrivate: boolean) {
    this.connection = connection
    this.mutability = mutability
    this.isPrivate = isPrivate
  }

  held(path: string): Stored | undefined {
    return this.connection.all<Stored>(
      "SELECT document_id, version, type, content_hash, record_hash, expires_at FROM documents WHERE path = ? ORDER BY version DESC LIMIT 1",
      [path]
    )[0]
  }

  insert(path: string, text: string, version: number, day: number): void {
    const { expires, now: added_at } = at(day)
    const expires_at = rulesOf(this.mutability).expires ? expires : null
    const content_hash = sha256(text)
    const record_hash = recordHash(sha256, { path, version, type: "t", content_hash, added_at, expires_at })
    addReceipt(this.connection, "add", record_hash, this.mutability)
    this.connection.run(
      "INSERT INTO documents (path, version, type, text, content_hash, record_hash, added_at, expires_at) VALUES (?, ?, 't', ?, ?, ?, ?, ?)",
      [path, version, text, content_hash, record_hash, added_at, expires_at]
    )
  }

  remove({ document_id, record_hash }: Stored): void {
    addReceipt(this.connection, "remove", record_hash, this.mutability)
    this.connection.run("DELETE FROM documents WHERE document_id = ?", [document_id])
  }

  memory(owner: string, text: string) {
    return this.connection.all<{ memory_id: number; record_hash: string; saves: number }>(
      "SELECT memory_id, record_hash, (SELECT count(*) FROM saves WHERE memory_id = m.memory_id) AS saves FROM memories AS m WHERE owner = ? AND content_hash = ?",
      [owner, sha256(text)]
    )[0]
  }

  save(owner: string, text: string, agent_id: string | null): void {
    const content_hash = sha256(text)
    const { expires, now: saved_at } = at(1)
    const expires_at = rulesOf(this.mutability).expires ? expires : null
    if (this.memory(owner, text) === undefined) {
      const record_hash = memoryRecordHash(sha256, { owner, content_hash })
      addReceipt(this.connection, "add", record_hash, this.mutability)
      this.connection.run(
        "INSERT INTO memories (owner, text, content_hash, record_hash) VALUES (?, ?, ?, ?)",
        [owner, text, content_hash, record_hash]
      )
    }
    const { memory_id, record_hash: memory, saves } = this.memory(owner, text)!
    const save = { memory, save_number: saves + 1, agent_id, saved_at, expires_at, metadata: "{}" }
    const record_hash = saveRecordHash(sha256, save)
    addReceipt(this.connection, "add", record_hash, this.mutability)
    this.connection.run(
      "INSERT INTO saves (memory_id, save_number, agent_id, saved_at, expires_at, metadata, record_hash) VALUES (?, ?, ?, ?, ?, '{}', ?)",
      [memory_id, saves + 1, agent_id, saved_at, expires_at, record_hash]
    )
  }

  forget(owner: string, text: string): void {
    const { memory_id, record_hash } = this.memory(owner, text)!
    for (const save of this.connection.all<{ save_id: number; record_hash: string }>(
      "SELECT save_id, record_hash FROM saves WHERE memory_id = ? ORDER BY save_number DESC",
      [memory_id]
    )) {
      addReceipt(this.connection, "remove", save.record_hash, this.mutability)
      this.connection.run("DELETE FROM saves WHERE save_id = ?", [save.save_id])
    }
    addReceipt(this.connection, "remove", record_hash, this.mutability)
    this.connection.run("DELETE FROM memories WHERE memory_id = ?", [memory_id])
  }

  /** What the guards say to a way of writing, which is taken back when they say nothing; undefined for yes. */
  refusal(write: () => void): string | undefined {
    const undo = new Error("taken back")
    try {
      this.connection.transaction(() => {
        write()
        throw undo
      })
    } catch (error) {
      return error === undo ? undefined : String(error)
    }
    throw new Error("the transaction was not taken back")
  }

  /** Does what was decided; the guards must accept it. */
  carryOut(decided: string, write: () => void): void {
    expect(this.refusal(write), decided).toBeUndefined()
    this.connection.transaction(write)
  }

  /** Tries each way of writing what was refused; the guards must refuse it too. */
  expectRefused(ways: Readonly<Record<string, () => void>>): void {
    for (const [way, write] of Object.entries(ways)) expect(this.refusal(write), way).toMatch(/.+/)
  }
}

type Operation = typeof operation extends fc.Arbitrary<infer A> ? A : never

const put = (
  writer: Writer,
  isSealed: boolean,
  { day, path, text }: Extract<Operation, { kind: "put" }>
): void => {
  const held = writer.held(path)
  const rules = { mutability: writer.mutability, isSealed }
  const decided = decideDocument(rules, held, { content_hash: sha256(text), type: "t" }, at(day).now)
  switch (decided.decision) {
    case "add":
    case "newVersion":
      return writer.carryOut(decided.decision, () => writer.insert(path, text, decided.version, day))
    case "replace":
      return writer.carryOut("replace", () => {
        writer.remove(held!)
        writer.insert(path, text, decided.version, day)
      })
    case "refuse":
      return writer.expectRefused({
        "as the first version": () => writer.insert(path, text, 1, day),
        "as the next version": () => writer.insert(path, text, (held?.version ?? 0) + 1, day),
        "in place of the stored one": () => {
          if (held !== undefined) writer.remove(held)
          writer.insert(path, text, 1, day)
        }
      })
    default:
  }
}

const step = (writer: Writer, isSealed: boolean, given: Operation): boolean => {
  const { isPrivate, mutability } = writer
  if (given.kind === "put") put(writer, isSealed, given)
  if (given.kind === "remove") {
    const held = writer.held(given.path)
    const decided = decideRemoval({ mutability, isSealed }, held)
    if (decided === "remove") writer.carryOut(decided, () => writer.remove(held!))
    if (decided === "refuse") writer.expectRefused({ removal: () => writer.remove(held!) })
  }
  if (given.kind === "save") {
    const decided = decideMemory(mutability, isPrivate ? "private" : "shared", given.agent)
    const save = (owner: string) => () => writer.save(owner, given.text, given.agent)
    if (decided.decision === "save") writer.carryOut("save", save(decided.owner))
    else writer.expectRefused({ save: save(isPrivate ? (given.agent ?? "") : "") })
  }
  if (given.kind === "forget") {
    const owner = isPrivate ? "ana" : ""
    const held = writer.memory(owner, given.text)
    const decided = decideForgetting(mutability, held && { savesByOthers: 0 })
    if (decided === "forget") writer.carryOut(decided, () => writer.forget(owner, given.text))
    if (decided === "kept") writer.expectRefused({ forgetting: () => writer.forget(owner, given.text) })
  }
  if (given.kind === "seal" && rulesOf(mutability).seals && !isSealed) {
    seal(writer.connection)
    return true
  }
  return isSealed
}

describe("what is decided of a write", () => {
  it("is what the guards accept, and what they refuse", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Mutability.literals),
        fc.boolean(),
        fc.array(operation, { minLength: 1, maxLength: 12 }),
        (mutability, isPrivate, operations) => {
          const folder = mkdtempSync(join(tmpdir(), "cassette-decisions-"))
          try {
            const { connection } = newCassette(folder, "one", mutability, isPrivate ? "private" : "shared")
            connection.pragma("synchronous = OFF")
            const writer = new Writer(connection, mutability, isPrivate)
            operations.reduce((isSealed, given) => step(writer, isSealed, given), false)
            connection.close()
          } finally {
            rmSync(folder, { recursive: true })
          }
        }
      ),
      propParameters()
    )
  })
})
