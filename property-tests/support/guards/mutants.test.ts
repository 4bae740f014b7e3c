/**
 * The mutants of small triggers, each written out: what is taken away or moved, what that does to the guard, and that
 * SQL in a form that is not known ends the generation instead of being passed over.
 */
import { describe, expect, it } from "vitest"
import { mutantsOf } from "./mutants.ts"

const guard = (condition: string, when = "", event = "INSERT") =>
  `CREATE TRIGGER "t" BEFORE ${event} ON "x"${when}\nBEGIN\n  SELECT RAISE(ABORT, 'no') WHERE ${condition};\nEND`

/** Each mutant of a condition but the two that drop it whole. */
const changesOf = (condition: string, when?: string, event?: string) =>
  mutantsOf(guard(condition, when, event), false)
    .filter(({ to }) => to !== "" && to !== "SELECT 1;")
    .map(({ effect, from, to }) => `${effect}: ${from} -> ${to}`)

describe("mutants", () => {
  it("drop a trigger, and a refusal, which says which it was", () => {
    expect(mutantsOf(guard("NEW.a IS 1"), false)).toMatchObject([
      { trigger: "t", table: "x", refusal: undefined, effect: "weaker", from: "t", to: "" },
      { refusal: "no", effect: "weaker", to: "SELECT 1;" }
    ])
  })

  it.each([
    ["NEW.a IS '' OR NEW.b IS ''", ["weaker: NEW.a IS '' -> FALSE", "weaker: NEW.b IS '' -> FALSE"]],
    ["NEW.a IS '' AND NEW.b IS ''", ["stricter: NEW.a IS '' -> TRUE", "stricter: NEW.b IS '' -> TRUE"]],
    ["NOT (NEW.a AND NEW.b)", ["weaker: NEW.a -> TRUE", "weaker: NEW.b -> TRUE"]],
    ["(NEW.a AND NEW.b) IS NOT 1", ["weaker: NEW.a -> TRUE", "weaker: NEW.b -> TRUE"]],
    ["NEW.a > 7", []],
    ["NEW.a >= 7", ["weaker: NEW.a >= 7 -> NEW.a > 7"]],
    ["(NEW.a > OLD.a) IS NOT 1", ["weaker: NEW.a > OLD.a -> NEW.a >= OLD.a"]],
    ["NEW.a IS NOT 64", ["weaker: NEW.a IS NOT 64 -> NEW.a < 64", "weaker: NEW.a IS NOT 64 -> NEW.a > 64"]],
    ["NEW.a NOT BETWEEN 1 AND 9", ["weaker: 1 -> 1 - 1", "weaker: 9 -> 9 + 1"]],
    ["NEW.a IN ('x', 'y')", ["weaker: 'x', 'y' -> 'y'", "weaker: 'x', 'y' -> 'x'"]],
    ["NEW.a NOT IN ('x', 'y')", ["stricter: 'x', 'y' -> 'y'", "stricter: 'x', 'y' -> 'x'"]],
    [
      "NEW.a NOT GLOB 'a:?*'",
      ["weaker: 'a:?*' -> '?:?*'", "weaker: 'a:?*' -> 'a??*'", "weaker: 'a:?*' -> 'a:*'"]
    ],
    [
      "NEW.a GLOB '*[^0-9]*'",
      [
        "weaker: '*[^0-9]*' -> '[^0-9]*'",
        "weaker: '*[^0-9]*' -> '*[^0-9]'",
        "weaker: '*[^0-9]*' -> '*[^/-9]*'",
        "weaker: '*[^0-9]*' -> '*[^0-:]*'"
      ]
    ],
    ["EXISTS (SELECT 1 FROM y WHERE a = NEW.a)", ["stricter: a = NEW.a -> TRUE"]],
    [
      "NOT EXISTS (SELECT 1 FROM y WHERE a = NEW.a AND b IS 1)",
      ["weaker: a = NEW.a -> TRUE", "weaker: b IS 1 -> TRUE"]
    ],
    ["(SELECT a FROM y WHERE b = NEW.b) IS NOT NEW.a", ["other: b = NEW.b -> TRUE"]],
    [
      "NEW.a IS NOT coalesce((SELECT a FROM y), '')",
      ["other: coalesce((SELECT a FROM y), '') -> (SELECT a FROM y)"]
    ],
    [
      "CASE NEW.a WHEN 'x' THEN NEW.b IS '' WHEN 'y' THEN 1 END IS NOT 1",
      ["weaker: NEW.b IS '' -> 1", "stricter: NEW.b IS '' -> 0", "stricter: 1 -> 0", "weaker:  ->  ELSE 1"]
    ],
    [
      "CASE NEW.a WHEN 'x' THEN 0 WHEN 'y' THEN (length(NEW.b) = 55) IS NOT 1 ELSE 1 END",
      [
        "weaker: 1 -> 0",
        "stricter: 0 -> 1",
        "stricter: (length(NEW.b) = 55) IS NOT 1 -> 1",
        "weaker: (length(NEW.b) = 55) IS NOT 1 -> 0",
        "weaker: length(NEW.b) = 55 -> length(NEW.b) <= 55",
        "weaker: length(NEW.b) = 55 -> length(NEW.b) >= 55"
      ]
    ],
    ["CASE NEW.a WHEN 'x' THEN NEW.b END IS NOT NEW.c", ["weaker: NEW.b -> NEW.c", "weaker:  ->  ELSE NEW.c"]]
  ])("of %s", (condition, changes) => {
    expect(changesOf(condition)).toEqual(changes)
  })

  it("of a trigger's WHEN and of its columns", () => {
    expect(changesOf("NEW.a IS ''", "\nWHEN NEW.b AND OLD.b", 'UPDATE OF "a", "b"')).toEqual([
      `weaker: "a", "b" -> "b"`,
      `weaker: "a", "b" -> "a"`,
      "stricter: NEW.b -> TRUE",
      "stricter: OLD.b -> TRUE"
    ])
  })

  it("of rules that are judged in order, and of the row that they are judged on", () => {
    const sql = `CREATE TRIGGER "t" AFTER UPDATE ON "x"
BEGIN
  SELECT CASE
    WHEN NEW.a IS y.a THEN RAISE(ABORT, 'first')
    WHEN NEW.b THEN RAISE(ABORT, 'second')
  END FROM (SELECT 1) LEFT JOIN y ON y.c = NEW.c;
END`
    expect(
      mutantsOf(sql, false).map(({ effect, from, refusal, to }) => ({ effect, from, refusal, to }))
    ).toEqual([
      { effect: "weaker", from: "t", refusal: undefined, to: "" },
      { effect: "weaker", from: "NEW.a IS y.a", refusal: "first", to: "FALSE" },
      { effect: "weaker", from: "NEW.b", refusal: "second", to: "FALSE" },
      { effect: "other", from: "y.c = NEW.c", refusal: undefined, to: "TRUE" }
    ])
  })

  it("of what a trigger applies: its WHEN lets in, and a write has a row of its own", () => {
    const sql = `CREATE TRIGGER "t" INSTEAD OF DELETE ON "v"
WHEN OLD.a IS 1 AND OLD.b
BEGIN
  insert into "x" ("a") values ((SELECT 1 WHERE 2));
  update "x" set "a" = OLD.a where "b" = OLD.b;
END`
    expect(mutantsOf(sql, true).map(({ effect, from, to }) => `${effect}: ${from} -> ${to}`)).toEqual([
      "other: t -> ",
      "weaker: OLD.a IS 1 -> TRUE",
      "weaker: OLD.b -> TRUE",
      `other: "b" = OLD.b -> TRUE`
    ])
  })

  it.each([
    ["NEW.a LIKE 'x'", "Expected"],
    ["NEW.a ~ 1", "No token of ours begins at"],
    ["(NEW.a", "Expected )"],
    ["NEW.a IN (SELECT 1)", "Expected )"]
  ])("are refused of %s", (condition, message) => {
    expect(() => mutantsOf(guard(condition), false)).toThrow(message)
  })
})
