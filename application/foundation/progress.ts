// Where long work says how far it is. The host that runs it may listen; by default nothing does, and nothing depends on it.
import * as Context from "effect/Context"

/** Is given what is being done, in few words, often enough for a person to follow. */
export type ReportProgress = (doing: string) => void

export const Progress = Context.Reference<ReportProgress>("cortex-cassette/application/Progress", {
  defaultValue: () => () => {}
})
