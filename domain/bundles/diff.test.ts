/**
 * Differences of manifests: none between equal ones, and each named by its field, step or artifact.
 */
import { assert, describe, it } from "@effect/vitest"
import { manifestDifferences } from "./diff.ts"
import { goldenManifest, rehashed } from "./testing/smallest-bundle.ts"

describe("the differences of two manifests", () => {
  it("are none when they are the same", () => {
    assert.deepStrictEqual(manifestDifferences(goldenManifest, structuredClone(goldenManifest)), [])
  })

  it("name fields, steps and artifacts, on both sides or on one", () => {
    const [step] = goldenManifest.steps
    const [artifact] = goldenManifest.artifacts
    const right = rehashed({
      ...goldenManifest,
      run_id: "run_2",
      steps: [
        { ...step!, expected_outputs: { a: 1 } },
        { ...step!, step_id: "s2", ordinal: 2 }
      ],
      artifacts: [{ ...artifact!, sha256: "0".repeat(64) }]
    })
    const differences = manifestDifferences(goldenManifest, right)
    assert.deepStrictEqual(
      differences.map(({ where }) => where),
      [
        "bundle_id",
        "plan_hash",
        "root_hash",
        "run_id",
        "step s1 expected_outputs",
        "step s2",
        `artifact ${artifact!.artifact_id} sha256`
      ]
    )
    assert.deepInclude(differences[4], { left: "{}", right: '{"a":1}' })
    assert.strictEqual(differences[5]?.left, null)
  })
})
