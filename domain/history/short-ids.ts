// Jobs and steps by their numbers: the position of their message, the job in it, the step in that. Short enough for a sentence,
// and unique in a ledger, since no two messages stand at one position.
import { isJobId, jobIdOfStep, messageIdOfJob, ordinalOfStep, positionOfMessageId } from "../ledger/ids.ts"

const numberAtEnd = (id: string): number => Number(id.slice(id.lastIndexOf(".") + 1))

/** `2.1` for the first job of the message at position 2; an id of another form stays as it is. */
export const shortJob = (jobId: string): string =>
  isJobId(jobId) ? `${positionOfMessageId(messageIdOfJob(jobId))}.${numberAtEnd(jobId)}` : jobId

/** `2.1.3` for that job's third step; an id of another form stays as it is. */
export const shortStep = (stepId: string): string => {
  const jobId = jobIdOfStep(stepId)
  return isJobId(jobId) ? `${shortJob(jobId)}.${ordinalOfStep(stepId)}` : stepId
}
