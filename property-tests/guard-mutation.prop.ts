// Mutation of the guards: every trigger is dropped, and every condition in it taken out, turned or moved by one, each in
// turn. An attack must get in then, or an honest write go wrong; where something else refuses as
// well, the list of second conditions says what, and its proof is tried. Nothing here is drawn: all of them
// are tried, or each tenth with fewer than ten runs.

import { expect, it } from "vitest"
import { propRuns } from "./support/configuration.ts"
import type { Mutant } from "./support/guards/mutants.ts"
import { type GuardedFile, type Judgement, Mutation } from "./support/guards/guarded-file.ts"
import { guardedCassette } from "./support/guards/guarded-cassette.ts"
import { guardedCorpus } from "./support/guards/guarded-corpus.ts"
import { guardedLedger } from "./support/guards/guarded-ledger.ts"
import {
  ledgerSecondConditions,
  means,
  type Proof,
  type SecondCondition
} from "./support/guards/second-conditions.ts"

const EVERY = propRuns < 10 ? 10 : 1

const nameOf = ({ from, refusal, to, trigger }: Mutant): string =>
  `${trigger}${refusal === undefined ? "" : ` ("${refusal}")`}: ${from} -> ${to}`

/** What is wrong with a proof; undefined when it is one. */
const faultOf = <Attack>(
  file: GuardedFile<Attack>,
  mutation: Mutation<Attack>,
  { mutant, words }: Judgement,
  proof: Proof
): string | undefined => {
  if ("answers" in proof) {
    const unknown = words.filter((word) => !proof.answers.some((answer) => word.startsWith(answer)))
    const unused = proof.answers.filter((answer) => !words.some((word) => word.startsWith(answer)))
    return unknown.length + unused.length === 0
      ? undefined
      : `answered also by ${unknown.join("; ") || "nothing"}, not by ${unused.join("; ") || "nothing"}`
  }
  if (words.length > 0) return `answered by ${words.join("; ")}`
  if ("pair" in proof) {
    return mutation.isNoticedBeside(mutant, proof.pair) ? undefined : "not noticed beside the second edit"
  }
  return file.holds?.(proof.holds) === true ? undefined : "what it rests on does not hold"
}

/** Judges every mutant and prints the score; gives what is wrong. */
const faultsOf = <Attack>(
  name: string,
  file: GuardedFile<Attack>,
  seconds: ReadonlyArray<SecondCondition>
): ReadonlyArray<string> => {
  const mutation = new Mutation(file)
  const used = new Set<SecondCondition>()
  const tally = { all: 0, direct: 0, second: 0 }
  const mutants = [...mutation.mutants()].filter((_, index) => index % EVERY === 0)
  const faults = mutants.flatMap((mutant) => {
    tally.all += 1
    const judgement = mutation.judge(mutant)
    if (judgement.notice === "attack" || judgement.notice === "honest write") {
      tally.direct += 1
      return []
    }
    const second = seconds.find((entry) => means(entry, mutant))
    if (second === undefined) {
      return [`${nameOf(mutant)}: nothing gets in; answered by ${judgement.words.join("; ") || "the same"}`]
    }
    used.add(second)
    const fault = faultOf(file, mutation, judgement, second.proof)
    if (fault !== undefined) return [`${nameOf(mutant)}: ${fault}`]
    tally.second += 1
    return []
  })
  console.log(
    `${name}: ${tally.direct + tally.second} of ${tally.all} weakened conditions are noticed: ${tally.direct} by an attack or an honest write, ${tally.second} by what is listed and proved to stand behind them`
  )
  const needless = EVERY === 1 ? seconds.filter((entry) => !used.has(entry)) : []
  return faults.concat(needless.map(({ because, trigger }) => `${trigger}: needless entry: ${because}`))
}

it("every condition of the ledger's guards is missed when it is weakened", () => {
  expect(faultsOf("the ledger", guardedLedger(), ledgerSecondConditions)).toEqual([])
})

it("every condition of a cassette's guards is missed when it is weakened", () => {
  expect(faultsOf("a cassette", guardedCassette(), [])).toEqual([])
})

it("every condition of the corpus database's guards is missed when it is weakened", () => {
  expect(faultsOf("the corpus", guardedCorpus(), [])).toEqual([])
})
