/** What the tree beside a ledger answers, compared with the recursive definition. Outside tests nothing may import it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MerkleLog } from "../../application/ledger/proofs/merkle-log.ts"
import { hexText } from "../../domain/canonical/bytes.ts"
import { naivePath, naiveProof, naiveRoot } from "../../domain/evidence/testing/naive-merkle.ts"
import { inputsOf, merkleOver, type SampleLog } from "./merkle-events.ts"

const hexes = (path: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => path.map(hexText)

/** Runs a program on the tree beside a ledger's file, over a sample log. */
export const runMerkle = <A, E>(file: string, log: SampleLog, program: Effect.Effect<A, E, MerkleLog>) =>
  Effect.provide(program, merkleOver(file, log))

/** Asks for an inclusion and a consistency proof and compares them with the recursive definition. */
export const rightAnswers = (log: SampleLog, size: number, index: number, from: number) =>
  Effect.gen(function* () {
    const merkle = yield* MerkleLog
    const inputs = inputsOf(log.events.slice(0, size))
    const inclusion = yield* merkle.inclusions(size, [index])
    assert.deepStrictEqual(inclusion.paths, [hexes(naivePath(index, inputs))])
    assert.strictEqual(hexText(inclusion.root), hexText(naiveRoot(inputs)))
    const consistency = yield* merkle.consistency(from, size)
    assert.deepStrictEqual(hexes(consistency.path), hexes(naiveProof(from, inputs)))
    assert.strictEqual(hexText(consistency.root), hexText(naiveRoot(inputs)))
    assert.strictEqual(hexText(consistency.oldRoot), hexText(naiveRoot(inputs.slice(0, from))))
  })

/** The same of a tree that is opened for it. */
export const assertRight = (file: string, log: SampleLog, size: number, index = 0, from = 1) =>
  runMerkle(file, log, rightAnswers(log, size, index, from))
