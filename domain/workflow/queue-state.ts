// What one program knows of a queue: which elements wait and from when on, and when the leases of those that are worked end. It
// follows the events of the queue's run alone. It may begin with rows that are newer than its position: the events behind that
// lead to the same end.
import { isJsonObject } from "../canonical/json.ts"
import { millisFromTimestamp, nearestTimestamp } from "../canonical/timestamp.ts"
import type { LedgerEvent } from "../ledger/events.ts"
import { jobIdOf, jobIdOfStep, positionOfMessageId, stepIdOf } from "../ledger/ids.ts"
import { DueList } from "./due-list.ts"

/** From when on a step may be taken: its `due`, or when it was posted. */
const visibleFrom = (payload: unknown, posted: string): number => {
  const due = isJsonObject(payload) ? payload["due"] : undefined
  return typeof due === "number" ? due : millisFromTimestamp(posted)
}

export class QueueState {
  /** The position up to which events were read. */
  position: number
  /** Steps that wait, by the ids of their jobs. */
  private readonly waiting = new DueList()
  /** Steps that are leased, by the ids of their jobs, with the ends of their leases. */
  private readonly leased = new DueList()
  /** From when on the known jobs may be taken; a job is forgotten when it is finished. */
  private readonly visible = new Map<string, number>()
  /** Jobs that wait, of which only that is known. */
  private readonly unknown = new Set<string>()

  constructor(position: number) {
    this.position = position
  }

  /** Notes a step as its row says: `created_at` is when it was posted. */
  addWaiting(job_id: string, payload: unknown, created_at: string): void {
    this.know(job_id, payload, created_at)
    this.wait(job_id)
  }

  /** Notes a message of this program that was posted now, unless its event was read. The event says it again. */
  addPosted(message_id: string, payload: unknown, now: number): void {
    if ((positionOfMessageId(message_id) ?? 0) <= this.position) return
    this.addWaiting(jobIdOf(message_id, 1), payload, nearestTimestamp(now))
  }

  /** Notes what a job's message says. */
  know(job_id: string, payload: unknown, created_at: string): void {
    this.visible.set(job_id, visibleFrom(payload, created_at))
    if (this.unknown.delete(job_id)) this.wait(job_id)
  }

  addLeased(job_id: string, lease_expires_at: string): void {
    this.waiting.delete(job_id)
    this.unknown.delete(job_id)
    this.leased.add(job_id, millisFromTimestamp(lease_expires_at))
  }

  /** Jobs that wait, and whose messages must be looked up. */
  get jobsToLookUp(): ReadonlyArray<string> {
    return [...this.unknown]
  }

  /** Takes in an event; one that was read before changes nothing. */
  follow(event: LedgerEvent): void {
    if (event.position <= this.position) return
    this.position = event.position
    switch (event.type) {
      case "MessagePosted":
        return this.addWaiting(jobIdOf(event.data.message_id, 1), event.data.payload, event.recorded_at)
      case "StepClaimed":
      case "LeaseRenewed":
        return this.addLeased(jobIdOfStep(event.data.step_id), event.data.lease_expires_at)
      case "StepRequeued":
        return this.wait(jobIdOfStep(event.data.step_id))
      case "StepCompleted":
        return this.forget(jobIdOfStep(event.data.step_id))
      default:
    }
  }

  /** When the next element may be taken; infinity when none waits. */
  get nextVisible(): number {
    return this.waiting.first?.due ?? Number.POSITIVE_INFINITY
  }

  /** Takes out the element that may be taken first, if there is one by now. */
  take(now: number): string | undefined {
    const { first } = this.waiting
    if (first === undefined || first.due > now) return undefined
    this.waiting.delete(first.id)
    return first.id
  }

  /** Puts back an element that was taken out and could not be claimed. */
  putBack(job_id: string): void {
    this.wait(job_id)
  }

  /** When the next lease ends; infinity when there is none. */
  get nextLeaseEnd(): number {
    return this.leased.first?.due ?? Number.POSITIVE_INFINITY
  }

  /** Takes out the first job whose lease has ended by now, with its step; events bring it back. */
  takeEnded(now: number): { readonly job_id: string; readonly step_id: string } | undefined {
    const { first } = this.leased
    if (first === undefined || first.due > now) return undefined
    this.leased.delete(first.id)
    return { job_id: first.id, step_id: stepIdOf(first.id, 1) }
  }

  private wait(job_id: string): void {
    this.leased.delete(job_id)
    const visible = this.visible.get(job_id)
    if (visible === undefined) this.unknown.add(job_id)
    else this.waiting.add(job_id, visible)
  }

  private forget(job_id: string): void {
    this.waiting.delete(job_id)
    this.leased.delete(job_id)
    this.visible.delete(job_id)
    this.unknown.delete(job_id)
  }
}
