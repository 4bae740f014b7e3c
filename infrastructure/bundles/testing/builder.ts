/**
 * A builder that stops: `node builder.ts <folder> <out> <run> <job> <writes>` builds a bundle and, once so many files are
 * written, says so and waits to be killed. With a number that is never reached it stops before it finishes.
 */
import { once } from "node:events"
import * as Effect from "effect/Effect"
import { buildBundle } from "../../../application/bundles/build-bundle.ts"
import { FolderTarget } from "../../../application/foundation/folder-target.ts"
import { bundleLayer } from "./finished-job.ts"

const [folder = "", out = "", run_id = "", job_id = "", writes = ""] = process.argv.slice(2)

const stop = Effect.promise(async () => {
  process.stdout.write('"stopped"\n')
  await once(process.stdin, "end")
})

const program = Effect.gen(function* () {
  const target = yield* FolderTarget
  let left = Number(writes)
  yield* buildBundle({ run_id, job_id }, out).pipe(
    Effect.provideService(FolderTarget, {
      begin: (path, options) =>
        Effect.map(target.begin(path, options), (draft) => ({
          ...draft,
          write: (name, content) =>
            Effect.andThen(
              draft.write(name, content),
              Effect.suspend(() => (--left === 0 ? stop : Effect.void))
            ),
          finish: Effect.andThen(stop, draft.finish)
        }))
    })
  )
})

await Effect.runPromise(Effect.provide(program, bundleLayer(folder)))
