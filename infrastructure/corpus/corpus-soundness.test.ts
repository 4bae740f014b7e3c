// The order of pages with any damaged key: what is no text is behind nothing, so that it is damage and no fault of ours.
import { describe, expect, it } from "vitest"
import { DatabaseDamaged } from "../sqlite/connection/database-damaged.ts"
import { isBehindText, soundOrder } from "./corpus-soundness.ts"

describe("the order of a page", () => {
  const ordered = (...keys: ReadonlyArray<unknown>) =>
    soundOrder(
      "files",
      keys.map((path) => ({ path })),
      { path: "" as unknown },
      (row, other) => isBehindText(row.path, other.path)
    ).length

  it("is that of the bytes of texts", () => {
    expect(ordered("a", "b", "\uffff", "\u{10000}")).toBe(4)
    expect(() => ordered("b", "a")).toThrow(DatabaseDamaged)
    expect(() => ordered("a", "a")).toThrow(DatabaseDamaged)
  })

  it.each([null, 5, Buffer.from("b")])("is broken by a key that is %s", (key) => {
    expect(() => ordered("a", key)).toThrow(DatabaseDamaged)
    expect(() => ordered(key, "a")).toThrow(DatabaseDamaged)
  })
})
