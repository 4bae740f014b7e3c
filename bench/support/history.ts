// Long histories for the benchmarks that need one, made quickly: legal events through all triggers, in messages of
// thousands of steps and transactions of thousands of events. It knows one run and one worker and writes nothing
// that a program could not have written through the public API.
import {
  claimed,
  completed,
  messageIdAt,
  payload,
  posted,
  postedSteps,
  receipt,
  stepIdOf,
  thought
} from "./events.ts"
import type { RawLedger } from "./raw-ledger.ts"

/** Most steps that one message may have. */
const STEPS_PER_MESSAGE = 10_000

/** The run and the worker of every step. */
export const RUN = "run-1"
export const WORKER = "worker-1"

const EVENTS_PER_TRANSACTION = 5_000

/** Posts `count` waiting steps in messages of up to ten thousand; gives their ids in claim order. */
export const postWaitingSteps = (ledger: RawLedger, count: number): ReadonlyArray<string> => {
  const ids: Array<string> = []
  while (ids.length < count) {
    const steps = Math.min(STEPS_PER_MESSAGE, count - ids.length)
    const texts = Array.from({ length: steps }, (_, index) => JSON.stringify(payload(ids.length + index)))
    ledger.begin()
    const messageId = messageIdAt(RUN, ledger.head.position + 1, null)
    ledger.append(postedSteps(RUN, messageId, texts))
    ledger.commit()
    for (let step = 1; step <= steps; step++) ids.push(stepIdOf(messageId, 1, step))
  }
  return ids
}

/** Claims and completes these steps, which must be the oldest waiting ones, each for the first time. */
export const finishSteps = (ledger: RawLedger, ids: ReadonlyArray<string>): void => {
  for (let done = 0; done < ids.length; done += EVENTS_PER_TRANSACTION / 2) {
    ledger.begin()
    for (const id of ids.slice(done, done + EVENTS_PER_TRANSACTION / 2)) {
      ledger.append(claimed(RUN, id, 1, WORKER, ledger.leaseEnd))
      ledger.append(completed(RUN, id, 1, WORKER, JSON.stringify(receipt(ledger.head.position))))
    }
    ledger.commit()
  }
}

/** `count` messages of one step each, all finished: three events a step. */
export const finishedMessages = (ledger: RawLedger, count: number): void => {
  for (let done = 0; done < count; done += EVENTS_PER_TRANSACTION / 5) {
    const ids: Array<string> = []
    ledger.begin()
    for (let number = done; number < Math.min(count, done + EVENTS_PER_TRANSACTION / 5); number++) {
      const messageId = messageIdAt(RUN, ledger.head.position + 1, null)
      ledger.append(posted(RUN, messageId, null, JSON.stringify(payload(number))))
      ids.push(stepIdOf(messageId, 1, 1))
    }
    ledger.commit()
    finishSteps(ledger, ids)
  }
}

/** The hash that a task's first thought follows. */
const NO_THOUGHT = "0".repeat(64)

/** `count` thoughts of one task behind the one with number `from` - 1 and this hash; gives the newest's hash. */
export const manyThoughts = (
  ledger: RawLedger,
  task: string,
  count: number,
  from = 0,
  prevHash = NO_THOUGHT
): string => {
  let before = prevHash
  for (let done = 0; done < count; done += EVENTS_PER_TRANSACTION) {
    ledger.begin()
    for (let number = done; number < Math.min(count, done + EVENTS_PER_TRANSACTION); number++) {
      const next = thought(task, from + number, before)
      ledger.append(next)
      before = next.hash
    }
    ledger.commit()
  }
  return before
}
