// Where long work says how far it is. The host that runs it may listen; by default nothing does, and nothing depends on it.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Is given what is being done, in few words, often enough for a person to follow. */
export type ReportProgress = (doing: string) => void

export const Progress = Context.Reference<ReportProgress>("cortex-cassette/application/Progress", {
  defaultValue: () => () => {}
})

/** Reports what is being done before it is done. */
export const reported = <A, E, R>(doing: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Progress.use((report) => {
    report(doing)
    return work
  })
