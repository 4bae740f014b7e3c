// Names of runs and keys: they can be read back, fit into identifiers and never fall together.
import { hash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isIdentifier } from "../canonical/text.ts"
import { isName } from "../foundation/bounded-names.ts"
import {
  activityKey,
  clockKey,
  elementKey,
  ownerOfRun,
  queueRun,
  RUN_KINDS,
  runOf,
  runPrefix,
  wakeKey
} from "./names.ts"

const sha256 = (text: string) => hash("sha256", text, "hex")
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter(isName)
const long = fc.string({ unit: "grapheme", maxLength: 600 }).filter(isName)

describe("runs", () => {
  it("are read back whole while names are short", () => {
    for (const kind of RUN_KINDS) {
      for (const [workflow, execution] of [
        ["Order", "a1"],
        ["a/b", "%2F"],
        ["~", "a~b"],
        ["Bestellung Ä", "\n\u0085"]
      ] as const) {
        expect(ownerOfRun(runOf(sha256, kind, workflow, execution))).toEqual({
          kind,
          workflow,
          execution,
          isCut: false
        })
      }
    }
  })

  it("are identifiers, and begin as their workflow's runs do", () => {
    fc.assert(
      fc.property(long, long, (workflow, execution) => {
        const run = runOf(sha256, "activity", workflow, execution)
        expect(isIdentifier(run)).toBe(true)
        expect(run.startsWith(runPrefix(sha256, "activity", workflow))).toBe(true)
        expect(ownerOfRun(run)).toBeDefined()
        expect(ownerOfRun(runOf(sha256, "workflow", "/".repeat(workflow.length), execution))).toBeDefined()
      })
    )
  })

  it("differ where names do", () => {
    fc.assert(
      fc.property(name, name, name, name, (a, b, c, d) => {
        expect(runOf(sha256, "workflow", a, b) === runOf(sha256, "workflow", c, d)).toBe(a === c && b === d)
      })
    )
    const beginning = "x".repeat(200)
    expect(ownerOfRun(runOf(sha256, "timer", "W", beginning))).toMatchObject({ workflow: "W", isCut: true })
    expect(runOf(sha256, "timer", "W", `${beginning}a`)).not.toBe(
      runOf(sha256, "timer", "W", `${beginning}b`)
    )
  })

  it("of others have no owner", () => {
    for (const run of [
      "orders",
      "workflow/",
      "workflow/W",
      "workflow/W/",
      "workflow/W/1/2",
      "queue/W/1",
      "workflow/%/1"
    ]) {
      expect(ownerOfRun(run), run).toBeUndefined()
    }
  })
})

describe("keys", () => {
  it("are identifiers", () => {
    fc.assert(
      fc.property(long, (text) => {
        for (const key of [
          wakeKey(sha256, { kind: "deferred", name: text, exit: null }) ?? "",
          activityKey(sha256, text, 3),
          clockKey(sha256, text),
          elementKey(sha256, text),
          queueRun(sha256, text)
        ]) {
          expect(isIdentifier(key)).toBe(true)
        }
      })
    )
  })

  it("are there for what counts once", () => {
    expect(wakeKey(sha256, { kind: "deferred", name: "a/b", exit: null })).toBe("deferred/a/b")
    for (const kind of ["interrupt", "interrupt-unsafe"] as const)
      expect(wakeKey(sha256, { kind })).toBe(kind)
    expect(wakeKey(sha256, { kind: "resume" })).toBeNull()
  })

  it("tell attempts apart, also of names that are cut", () => {
    expect(activityKey(sha256, "charge", 2)).toBe("charge/2")
    expect(activityKey(sha256, "a\n", 1)).not.toBe(activityKey(sha256, "a%0A", 1))
    const beginning = "x".repeat(300)
    expect(activityKey(sha256, beginning, 1)).not.toBe(activityKey(sha256, beginning, 2))
  })

  it("cannot be made of names without a stored form", () => {
    for (const text of ["\u0000", "\ud800"]) expect(isName(text)).toBe(false)
  })
})

describe("queues and their elements", () => {
  it("have names that differ where theirs do", () => {
    expect(elementKey(sha256, "")).toBe("element/")
    expect(elementKey(sha256, "\n")).not.toBe(elementKey(sha256, "%0A"))
    expect(queueRun(sha256, "DurableQueue/Mail")).toBe("queue/DurableQueue%2FMail")
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(elementKey(sha256, a) === elementKey(sha256, b)).toBe(a === b)
        expect(queueRun(sha256, a) === queueRun(sha256, b)).toBe(a === b)
      })
    )
  })
})
