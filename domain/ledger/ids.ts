// Ids are derived, never invented: a message id bears the position of its event, and job, step and receipt
// ids are spelled from it, so ids sort in claim order and cannot collide. The widths are part of the format
// (docs/spec/ledger.md, "Ids") and may never change.
import { jcsTextOfRead } from "../canonical/jcs.ts"
import type { Sha256 } from "../canonical/sha256.ts"

const POSITION_DIGITS = 13
const JOB_DIGITS = 4
const STEP_DIGITS = 5

const JOB_ID = /^job_\d{13}_[0-9a-f]{16}\.\d{4}$/
const MESSAGE_ID = /^msg_(\d{13})_[0-9a-f]{16}$/

/** How the id of a message at `position` begins: it is the one id that does. */
export const messageIdPrefix = (position: number): string =>
  `msg_${String(position).padStart(POSITION_DIGITS, "0")}_`

/** The message id of the event at `position`; its last part is a hash over the key, or over the position. */
export const messageIdAt = (
  sha256: Sha256,
  runId: string,
  position: number,
  idempotencyKey: string | null
): string => {
  const source =
    idempotencyKey === null
      ? ["message", runId, "position", position]
      : ["message", runId, "key", idempotencyKey]
  return `${messageIdPrefix(position)}${sha256(jcsTextOfRead(source)).slice(0, 16)}`
}

/** The position that a message id bears, or undefined when the text is no message id. */
export const positionOfMessageId = (messageId: string): number | undefined => {
  const digits = MESSAGE_ID.exec(messageId)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** The form of a job id as a regular expression. */
export const JOB_ID_FORM = JOB_ID.source

/** True when the text has the form of a job id; the job need not exist. */
export const isJobId = (text: string): boolean => JOB_ID.test(text)

/** The id of the message's job with this ordinal (1-based). */
export const jobIdOf = (messageId: string, ordinal: number): string =>
  `job_${messageId.slice("msg_".length)}.${String(ordinal).padStart(JOB_DIGITS, "0")}`

/** The id of the job's step with this ordinal (1-based). */
export const stepIdOf = (jobId: string, ordinal: number): string =>
  `step_${jobId.slice("job_".length)}.${String(ordinal).padStart(STEP_DIGITS, "0")}`

/** The id of the one receipt that the step can have. */
export const receiptIdOf = (stepId: string): string => `rcpt_${stepId.slice("step_".length)}`

/** The job that a step id belongs to. */
export const jobIdOfStep = (stepId: string): string =>
  `job_${stepId.slice("step_".length, stepId.length - STEP_DIGITS - 1)}`

/** The message that a job id belongs to. */
export const messageIdOfJob = (jobId: string): string =>
  `msg_${jobId.slice("job_".length, jobId.length - JOB_DIGITS - 1)}`

/** The ordinal that a step id ends with. */
export const ordinalOfStep = (stepId: string): number => Number(stepId.slice(-STEP_DIGITS))
