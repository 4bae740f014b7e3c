/** What is cut of an answer that is too large, and what is told of it. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { JsonValue } from "./json.ts"
import { fitted, isBudget, MIN_ANSWER_BYTES, withinBudget } from "./answer-budget.ts"

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

describe("an answer's budget", () => {
  it("leaves what fits as it is, to the byte", () => {
    const value = { text: "x".repeat(MIN_ANSWER_BYTES - bytesOf({ text: "" })) }
    expect(fitted(value, MIN_ANSWER_BYTES)).toEqual({ value, cuts: [], cutCount: 0 })
    expect(fitted({ text: `${value.text}x` }, MIN_ANSWER_BYTES).cutCount).toBe(1)
  })

  it("cuts the end of a long list, and tells how much is shown", () => {
    const list = Array.from({ length: 10_000 }, (_, index) => ({ id: `record-${index}` }))
    const { cuts, value } = fitted({ list }, MIN_ANSWER_BYTES)
    const shown = (value as { list: ReadonlyArray<unknown> }).list
    expect(shown).toEqual(list.slice(0, shown.length))
    expect(shown.length).toBeGreaterThan(50)
    expect(cuts).toEqual([{ at: "/list", shown: shown.length, of: 10_000, unit: "items" }])
  })

  it("cuts long inner lists before it loses an outer item", () => {
    const hits = Array.from({ length: 10 }, (_, hit) => ({
      hit,
      places: Array.from({ length: 1_476 }, (_, n) => n)
    }))
    const { cuts, cutCount, value } = fitted({ hits }, 8_192)
    expect((value as { hits: ReadonlyArray<unknown> }).hits).toHaveLength(10)
    expect(cutCount).toBe(10)
    expect(cuts).toHaveLength(5)
    expect(cuts[0]).toMatchObject({ at: "/hits/0/places", of: 1_476 })
  })

  it("cuts a long text between characters, and leaves ids whole", () => {
    const id = "a".repeat(256)
    const { cuts, value } = fitted({ id, payload: "😀".repeat(100_000) }, MIN_ANSWER_BYTES)
    const cut = value as { id: string; payload: string }
    expect(cut.id).toBe(id)
    expect(cut.payload.isWellFormed()).toBe(true)
    expect(cuts).toEqual([{ at: "/payload", shown: cut.payload.length / 2, of: 100_000, unit: "characters" }])
  })

  it("is one of what is written, in any form", () => {
    const value = { list: Array.from({ length: 100 }, (_, index) => `line ${index}`) }
    const lines = ({ value }: { readonly value: JsonValue }) =>
      (value as { list: ReadonlyArray<string> }).list.map((line) => `${line} ${"-".repeat(500)}\n`).join("")
    const part = fitted(value, MIN_ANSWER_BYTES, lines)
    expect(Buffer.byteLength(lines(part))).toBeLessThanOrEqual(MIN_ANSWER_BYTES)
    expect(part.cuts).toEqual([{ at: "/list", shown: 8, of: 100, unit: "items" }])
  })

  it("shortens one item that is larger by itself, says so, and tells how to go on", () => {
    const answer = { hits: [{ hash: "a".repeat(64), content: "\u{1f600}\n".repeat(10_000) }] }
    const part = withinBudget(answer, MIN_ANSWER_BYTES, {
      more: "read it by its hash",
      next: (shown) => ({ hits: (shown["hits"] as ReadonlyArray<unknown>).length })
    })
    expect(bytesOf(part)).toBeLessThanOrEqual(MIN_ANSWER_BYTES)
    expect(part.hits[0]?.hash).toBe(answer.hits[0]?.hash)
    const shown = part.hits[0]?.content ?? ""
    expect(answer.hits[0]?.content.startsWith(shown)).toBe(true)
    expect(shown.isWellFormed()).toBe(true)
    expect(part.left_off).toEqual({
      cuts: [{ at: "/hits/0/content", shown: [...shown].length, of: 20_000, unit: "characters" }],
      cut_count: 1,
      next: { hits: 1 },
      more: "read it by its hash"
    })
  })

  it("is a whole number of bytes, or no bound", () => {
    for (const bytes of [MIN_ANSWER_BYTES, 2 ** 40, Infinity]) expect(isBudget(bytes)).toBe(true)
    for (const bytes of [0, MIN_ANSWER_BYTES - 1, 5_000.5, Number.NaN, -Infinity])
      expect(isBudget(bytes)).toBe(false)
  })

  it("cuts an object of few members where nothing else is long, and keeps one item and the shape of what it keeps", () => {
    const answer = { status: "error", reason: "r".repeat(200), took_ms: 1 }
    const answers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`cassette-${n}`, answer]))
    const hit = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`field-${n}`, n]))
    const data = { hits: [hit, hit], notices: [], answers, partial: true }
    const part = withinBudget({ ok: true, data }, MIN_ANSWER_BYTES, { more: "ask for more" })
    expect(bytesOf(part)).toBeLessThanOrEqual(MIN_ANSWER_BYTES)
    expect(part).toMatchObject({ ok: true, data: { hits: [hit], notices: [], partial: true } })
    const shown = Object.values(part.data.answers)
    expect(shown.length).toBeGreaterThan(5)
    expect(shown).toEqual(shown.map(() => answer))
    expect(part.left_off?.cuts).toEqual([
      { at: "/data/hits", shown: 1, of: 2, unit: "items" },
      { at: "/data/answers", shown: shown.length, of: 30, unit: "members" }
    ])
  })

  const large = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.array(fc.string({ maxLength: 2_000 }), { maxLength: 200 }),
    fc.dictionary(fc.string({ maxLength: 300, unit: "grapheme" }), fc.string({ maxLength: 2_000 }), {
      maxKeys: 200
    }),
    fc.dictionary(fc.string({ maxLength: 30 }), fc.record({ reason: fc.string({ minLength: 200 }) }), {
      minKeys: 16,
      maxKeys: 32
    })
  )

  it("keeps the outermost members of every answer", () => {
    const outermost = fc.record({ ok: fc.boolean(), data: large, error: large }, { requiredKeys: ["ok"] })
    fc.assert(
      fc.property(outermost, (answer) => {
        const part = withinBudget(answer as object, MIN_ANSWER_BYTES, { more: "ask for more" })
        expect(bytesOf(part)).toBeLessThanOrEqual(MIN_ANSWER_BYTES)
        expect(part).toHaveProperty("ok", answer.ok)
        const { left_off: _, ...shown } = part
        expect(Object.keys(shown)).toEqual(Object.keys(answer))
      }),
      { numRuns: 200, seed: 7 }
    )
  })

  it("always fits with its note, for any value", () => {
    fc.assert(
      fc.property(large, (value) => {
        const part = withinBudget({ data: value as JsonValue }, MIN_ANSWER_BYTES, { more: "ask for more" })
        expect(bytesOf(part)).toBeLessThanOrEqual(MIN_ANSWER_BYTES)
        if (bytesOf({ data: value }) <= MIN_ANSWER_BYTES) expect(part).toEqual({ data: value })
        else expect(part.left_off?.cut_count).toBeGreaterThan(0)
      }),
      { numRuns: 200, seed: 7 }
    )
  })
})
