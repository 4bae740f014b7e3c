// A small language of workflows, drawn at random: steps that succeed, fail, die and are retried, with and without compensation,
// waits, sleeps, races, children, what is done at once; and what happens to them from outside. It says nothing of engines.
import * as fc from "fast-check"

/** One activity. */
export interface Step {
  readonly kind: "step"
  readonly end: "die" | "fail" | "succeed"
  /** Attempts that fail before, each retried. */
  readonly failures: number
  /** Whether it has a compensation. */
  readonly undo: boolean
}

/** A wait for a gate, which is opened or refused from outside. */
export interface Wait {
  readonly kind: "wait"
  readonly gate: number
}

export interface Sleep {
  readonly kind: "sleep"
  readonly hours: number
}

export type Node =
  | Sleep
  | Step
  | Wait
  | { readonly kind: "all"; readonly atOnce: boolean; readonly nodes: ReadonlyArray<Node> }
  | { readonly kind: "caught"; readonly node: Node }
  | { readonly kind: "child"; readonly ends: ChildEnd; readonly body: ReadonlyArray<Node> }
  | { readonly kind: "end"; readonly how: "die" | "fail" }
  | { readonly kind: "race"; readonly nodes: ReadonlyArray<Sleep | Wait> }

/** What a parent makes of a child's end. */
export type ChildEnd = "detached" | "discarded" | "used"

/** What happens from outside, one after the other. */
export type Deed =
  | { readonly kind: "clock"; readonly hours: number }
  | { readonly kind: "interrupt"; readonly unsafe: boolean }
  | { readonly kind: "open" | "refuse"; readonly gate: number }
  | { readonly kind: "restart" }
  | { readonly kind: "resume" }
  | { readonly kind: "start" }

export interface Scenario {
  readonly body: ReadonlyArray<Node>
  readonly suspendOnFailure: boolean
  readonly deeds: ReadonlyArray<Deed>
}

/** Gates of each execution. */
export const GATES = 3

/** The longest sleep. Time passes by whole hours, and no two things are due within one. */
const MOST_HOURS = 3

const gate = fc.nat({ max: GATES - 1 })

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("step"),
  end: fc.constantFrom("succeed", "succeed", "succeed", "succeed", "fail", "die"),
  failures: fc.constantFrom(0, 0, 0, 1, 2),
  undo: fc.boolean()
})

const wait: fc.Arbitrary<Wait> = fc.record({ kind: fc.constant("wait"), gate })

const sleep: fc.Arbitrary<Sleep> = fc.record({
  kind: fc.constant("sleep"),
  hours: fc.integer({ min: 1, max: MOST_HOURS })
})

const race = fc.record({
  kind: fc.constant("race" as const),
  nodes: fc.array(fc.oneof(wait, sleep), { minLength: 1, maxLength: 3 })
})

const end = fc.record({
  kind: fc.constant("end" as const),
  how: fc.constantFrom("die" as const, "fail" as const)
})

/** A step that ends well, however often it is retried before. */
const goodStep: fc.Arbitrary<Step> = step.map((drawn) => ({ ...drawn, end: "succeed" }))

/** Nodes that are done at once do not fail: which of the others had begun by then would be chance. */
const branch: fc.Arbitrary<Node> = fc.oneof(goodStep, wait, sleep, goodStep)

const atOnce = fc.record({
  kind: fc.constant("all" as const),
  atOnce: fc.constant(true),
  nodes: fc.array(branch, { minLength: 2, maxLength: 4 })
})

/**
 * Bodies of at most so many levels. `wide` ones do things at once: then chance says how far a body has come when something happens,
 * so that nothing in them is decided by what comes first.
 */
const bodies = (depth: number, wide: boolean): fc.Arbitrary<ReadonlyArray<Node>> => {
  const leaves: Array<fc.WeightedArbitrary<Node>> = [
    { weight: 6, arbitrary: step },
    { weight: 3, arbitrary: wait },
    { weight: 2, arbitrary: sleep },
    { weight: 1, arbitrary: end },
    wide ? { weight: 4, arbitrary: atOnce } : { weight: 2, arbitrary: race }
  ]
  const leaf = fc.oneof(...leaves)
  if (depth === 0) return fc.array(leaf, { maxLength: 3 })
  const below = bodies(depth - 1, wide)
  const node = fc.oneof(
    { weight: 10, arbitrary: leaf },
    { weight: 2, arbitrary: below.map((nodes): Node => ({ kind: "all", atOnce: false, nodes })) },
    { weight: 3, arbitrary: leaf.map((node): Node => ({ kind: "caught", node })) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("child" as const),
        ends: fc.constantFrom<ChildEnd>("used", "used", "used", "discarded", "detached"),
        body: below
      })
    }
  )
  return fc.array(node, { maxLength: 4 })
}

const calmDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("open" as const), gate }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("clock" as const),
      hours: fc.integer({ min: 1, max: MOST_HOURS })
    })
  },
  { weight: 2, arbitrary: fc.constant<Deed>({ kind: "resume" }) },
  { weight: 1, arbitrary: fc.constant<Deed>({ kind: "start" }) },
  { weight: 2, arbitrary: fc.constant<Deed>({ kind: "restart" }) }
)

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: calmDeed },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("refuse" as const), gate }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("interrupt" as const), unsafe: fc.boolean() }) }
)

/** The execution begins somewhere among the deeds. */
const scenario = (
  body: fc.Arbitrary<ReadonlyArray<Node>>,
  deed: fc.Arbitrary<Deed>,
  suspendOnFailure: fc.Arbitrary<boolean>
): fc.Arbitrary<Scenario> =>
  fc.record({
    body,
    suspendOnFailure,
    deeds: fc
      .tuple(fc.array(deed, { maxLength: 1 }), fc.array(deed, { maxLength: 8 }))
      .map(([before, after]) => before.concat({ kind: "start" }, after))
  })

/** One thing after the other: what such a workflow does is known at each moment, and so is what an interruption finds. */
export const lonelyScenario = scenario(bodies(2, false), anyDeed, fc.constantFrom(false, false, true))

/** Much at once, of which nothing fails or is interrupted: what it comes to is known, and not in which order. */
export const wideScenario = scenario(bodies(2, true), calmDeed, fc.constant(false))
