// Names of workflows in the ledger: an execution has a run for its turns, one for its activities and one for its timers; a queue
// has one run. Names and ids are percent-encoded, so that a run can be read back; one that is too long for a run or a key is cut and hashed.
import * as Result from "effect/Result"
import type { Sha256 } from "../canonical/sha256.ts"
import { boundedKey, CUT, namePart } from "../foundation/bounded-names.ts"
import type { Wake } from "./wakes.ts"

/** The kinds of runs that an execution has, and the beginning of their ids. */
export const RUN_KINDS = ["workflow", "activity", "timer"] as const
export type RunKind = (typeof RUN_KINDS)[number]

/** The beginning of the ids of all runs of one kind that a workflow has. */
export const runPrefix = (sha256: Sha256, kind: RunKind, workflow: string): string =>
  `${kind}/${namePart(sha256, workflow)}/`

/** The run of one kind of an execution. */
export const runOf = (sha256: Sha256, kind: RunKind, workflow: string, execution: string): string =>
  `${runPrefix(sha256, kind, workflow)}${namePart(sha256, execution)}`

/** Whose run it is. */
export interface RunOwner {
  readonly kind: RunKind
  readonly workflow: string
  readonly execution: string
  /** A name was too long and is given as the run has it: the execution's first message has it whole. */
  readonly isCut: boolean
}

const decoded = (text: string): string | undefined =>
  // A name may have been cut in the middle of an escape.
  text.includes(CUT) ? text : Result.getOrUndefined(Result.try(() => decodeURIComponent(text)))

/** The owner of a run, undefined for a run that is no workflow's. */
export const ownerOfRun = (runId: string): RunOwner | undefined => {
  const [kind, workflow = "", execution = "", ...rest] = runId.split("/")
  const isKind = RUN_KINDS.some((each) => each === kind)
  if (!isKind || workflow === "" || execution === "" || rest.length > 0) return undefined
  const names = [decoded(workflow), decoded(execution)]
  return names[0] === undefined || names[1] === undefined
    ? undefined
    : {
        kind: kind as RunKind,
        workflow: names[0],
        execution: names[1],
        isCut: workflow.includes(CUT) || execution.includes(CUT)
      }
}

/** The key of a wake in the run of turns; null for one that may come again. */
export const wakeKey = (sha256: Sha256, wake: Wake): string | null => {
  switch (wake.kind) {
    case "execute":
    case "interrupt":
    case "interrupt-unsafe":
      return wake.kind
    case "deferred":
      return boundedKey(sha256, `deferred/${wake.name}`)
    default:
      return null
  }
}

/** The key of an attempt of an activity, in the run of activities. */
export const activityKey = (sha256: Sha256, name: string, attempt: number): string =>
  boundedKey(sha256, `${name}/${attempt}`)

/** The key of a clock, in the run of timers. */
export const clockKey = (sha256: Sha256, name: string): string => boundedKey(sha256, `clock/${name}`)

/** The run of a queue. */
export const queueRun = (sha256: Sha256, queue: string): string => `queue/${namePart(sha256, queue)}`

/** The key of an element's first message, in the run of its queue. */
export const elementKey = (sha256: Sha256, id: string): string => boundedKey(sha256, `element/${id}`)
