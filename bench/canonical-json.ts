// Our writer of canonical JSON, which checks everything that may not be hashed, against the `canonicalize` package,
// which is the usual choice and checks less: for a payload of 230 bytes and for a manifest of ten thousand steps.
import canonicalize from "canonicalize"
import { jcsText } from "../domain/canonical/jcs.ts"
import { compare, microsecondsPer } from "./support/comparison.ts"
import { payload } from "./support/events.ts"
import { type Benchmark, line } from "./support/report.ts"
import { setting } from "./support/settings.ts"

const manifest = (steps: number) => ({
  bundle_version: "1.0.0",
  steps: Array.from({ length: steps }, (_, index) => ({
    step_id: `step_${index}`,
    ordinal: index + 1,
    ...payload(index)
  }))
})

/** Runs a writer over these values; the length keeps the work from being optimised away. */
const microsecondsOf =
  (values: ReadonlyArray<unknown>, write: (value: unknown) => string | undefined) => () => {
    let length = 0
    const micros = microsecondsPer(values.length, () => {
      for (const value of values) length += write(value)?.length ?? 0
    })
    if (length === 0) throw new Error("nothing was written")
    return micros
  }

export const benchmark: Benchmark = {
  description: "canonical JSON of ours against the canonicalize package",
  run: async () => {
    const repeats = setting("BENCH_REPEATS", 25)
    const payloads = Array.from({ length: 10_000 }, (_, number) => payload(number))
    const manifests = [manifest(setting("BENCH_STEPS", 10_000))]
    const contestants = {
      payload: microsecondsOf(payloads, jcsText),
      payloadFloor: microsecondsOf(payloads, canonicalize),
      manifest: microsecondsOf(manifests, jcsText),
      manifestFloor: microsecondsOf(manifests, canonicalize)
    }
    await compare(5, contestants)
    const figures = await compare(repeats, contestants)
    return {
      settings: { repeats, payload_bytes: 230, manifest_steps: manifests[0]?.steps.length ?? 0 },
      lines: [
        line("payload of 230 bytes", "microseconds", figures.payload, figures.payloadFloor),
        line("manifest", "microseconds", figures.manifest, figures.manifestFloor)
      ]
    }
  }
}
