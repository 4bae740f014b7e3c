// The disposable tree beside a ledger, with any byte of it changed or torn at any length: every answer is right, and the file
// is whole afterwards.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { MerkleLog } from "../application/ledger/proofs/merkle-log.ts"
import { hexText } from "../domain/canonical/bytes.ts"
import { naiveProof } from "../domain/evidence/testing/naive-merkle.ts"
import { rightAnswers, runMerkle } from "../infrastructure/testing/merkle-answers.ts"
import { chainedEvents, inputsOf, logOf } from "../infrastructure/testing/merkle-events.ts"
import { temporaryFolder } from "../infrastructure/testing/temporary-folder.ts"
import { propParameters } from "./support/configuration.ts"

const LARGEST = 12
const events = chainedEvents(LARGEST, "a")

/** Where a file is changed, counted round and round it, and by which bits; without bits it is torn there. */
const damage = fc.record({ place: fc.nat({ max: 99_999 }), bits: fc.nat({ max: 255 }) })

/** The consistency of the whole with an older size, as the recursive definition has it. */
const rightConsistency = (size: number, from: number) =>
  Effect.gen(function* () {
    const inputs = inputsOf(events.slice(0, size))
    const { path } = yield* MerkleLog.use((merkle) => merkle.consistency(from, size))
    expect(path.map(hexText)).toEqual(naiveProof(from, inputs).map(hexText))
  })

it("is made again after any damage, before anything of it is given out", async () => {
  const folder = temporaryFolder()
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: LARGEST }),
      damage,
      fc.nat(),
      async (size, { bits, place }, first) => {
        const file = join(folder, "l.db")
        const log = logOf(events.slice(0, size))
        const asked = <A, E>(question: Effect.Effect<A, E, MerkleLog>) =>
          Effect.runPromise(runMerkle(file, log, question))
        await asked(rightAnswers(log, size, 0, 1))
        const whole = readFileSync(`${file}.merkle`)
        const at = place % whole.length
        const damaged = Buffer.from(whole)
        damaged[at]! ^= bits
        const damageIt = () => writeFileSync(`${file}.merkle`, bits === 0 ? whole.subarray(0, at) : damaged)
        // Nothing damaged may get out, whichever question comes first; all of them together ask for every node.
        for (let n = 0; n < size; n++) {
          damageIt()
          await asked(rightConsistency(size, n + 1))
        }
        damageIt()
        const questions = Array.from({ length: size }, (_, n) => (n + first) % size)
        await asked(
          Effect.forEach(questions, (index) => rightAnswers(log, size, index, index + 1), { discard: true })
        )
        expect(readFileSync(`${file}.merkle`).equals(whole)).toBe(true)
      }
    ),
    propParameters()
  )
})
