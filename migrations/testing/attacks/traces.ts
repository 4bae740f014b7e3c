/**
 * Events with a traceparent that is none, each in one thing: a length, a dash, a digit, an id of zeros. The text looks right
 * from every other side, so that each part of the rule has an attack of its own.
 */
import type { Attack } from "../attack.ts"
import { insertEvent, rowAfter, type Fact } from "../ledger.ts"
import { head, legal, traceparent } from "../states.ts"

const nul = "\u0000"

const digits = "4bf92f3577b34da6a3ce929d0e0e47361".repeat(2)
const withLengths = (...lengths: ReadonlyArray<number>) =>
  lengths.map((length) => digits.slice(0, length)).join("-")

// A version, a trace id, a parent id and flags of these lengths; three dashes and 52 digits where nothing else is wrong.
const lengths: ReadonlyArray<ReadonlyArray<number>> = [
  [1, 33, 16, 2],
  [3, 31, 16, 2],
  [2, 31, 17, 2],
  [2, 33, 15, 2],
  [2, 32, 17, 1],
  [2, 32, 15, 3],
  [2, 33, 16, 1],
  [2, 31, 16, 3],
  [0, 34, 16, 2],
  [2, 34, 16, 0],
  [2, 0, 48, 2],
  [2, 48, 0, 2],
  // One character more or less, and one digit, one dash more or less.
  [2, 33, 16, 2],
  [2, 31, 16, 2],
  [2, 32, 16, 3],
  [2, 32, 16, 1],
  [2, 16, 15, 16, 2],
  [2, 16, 16, 16, 2],
  [2, 32, 19],
  [35, 16, 2],
  [2, 49, 2],
  [2, 32, 16],
  [2, 32, 16, 2, 2],
  [55],
  [52]
]

const [version, traceId, parentId, flags] = traceparent.split("-")
const zerosOf = (length: number) => "0".repeat(length)

const texts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(lengths.map((some) => [`with parts of ${some.join(", ")}`, withLengths(...some)])),
  "in upper case": traceparent.toUpperCase(),
  "with a trace id in upper case": [version, traceId?.toUpperCase(), parentId, flags].join("-"),
  "of the version ff": ["ff", traceId, parentId, flags].join("-"),
  "with a trace id of zeros": [version, zerosOf(32), parentId, flags].join("-"),
  "with a parent id of zeros": [version, traceId, zerosOf(16), flags].join("-"),
  "with ids of zeros": [version, zerosOf(32), zerosOf(16), flags].join("-"),
  "with a space in front": ` ${traceparent}`,
  "with a line's end": `${traceparent}\n`,
  "with other dashes": traceparent.replaceAll("-", "_"),
  "with a longer dash": traceparent.replace("-", "\u2013"),
  "with digits of another script": traceparent.replace("4", "\u0664"),
  "with U+0000 for its end": `${traceparent}${nul}`,
  "with U+0000 and more for its end": `${traceparent}${nul}-00`,
  "with U+0000 in it": traceparent.replace("4", nul),
  "that is empty": "",
  // The neighbours of the digits, for the first and the last character and for one of each id.
  ...Object.fromEntries(
    ["/", ":", "`", "g", ".", ","].flatMap((char) =>
      [0, 3, 20, 36, 54].map((index) => [
        `with "${char}" at ${index}`,
        traceparent.slice(0, index) + char + traceparent.slice(index + 1)
      ])
    )
  )
}

const but = (fact: Fact, changes: object): Fact => ({
  ...fact,
  data: { ...(fact.data as object), ...changes }
})

const keyed = { idempotency_key: "k3" }

const traced: ReadonlyArray<readonly [string, Fact]> = [
  ["postTraced", legal.postTraced],
  ["a keyed postTraced", but(legal.postTraced, keyed)],
  ["postPlannedTraced", legal.postPlannedTraced],
  ["a keyed postPlannedTraced", but(legal.postPlannedTraced, keyed)],
  ["claimTraced", legal.claimTraced],
  ["completeTraced", legal.completeTraced]
]

// Events that have none.
const untraced: ReadonlyArray<readonly [string, Fact]> = [
  ["a renewal with a traceparent", but(legal.renew, { traceparent })],
  ["a requeue with a traceparent", but(legal.requeueForced, { traceparent })],
  ["a thought with a traceparent", but(legal.think, { traceparent })]
]

/** All of them. */
export const traceAttacks: ReadonlyArray<Attack> = [
  ...traced.flatMap(([name, fact]) =>
    Object.entries(texts).map(
      ([fault, text]) => [`${name} ${fault}`, but(fact, { traceparent: text })] as const
    )
  ),
  ...untraced
].map(([name, fact]) => ({ name, state: "ledger", sql: insertEvent(rowAfter(head, fact)) }))
