// Tells those who wait in this program that something was committed. Events of its own commits are kept for a while, as long as
// there is a listener, so that one that keeps up reads nothing from the store. Of other programs it knows only that they
// committed. It never gives an event before it is committed.
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { LedgerClosed } from "../../../domain/ledger/errors.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"

/** How many events are kept, and how much of their text (UTF-16 units). */
const KEPT_EVENTS = 1_024
const KEPT_TEXT = 4 * 1_048_576

/** Of how many arrivals it is kept where they were. */
const KEPT_ARRIVALS = 64

/** True for an event after which a step may wait that did not before. */
const letsWait = ({ type }: EventEnvelope): boolean => type === "MessagePosted" || type === "StepRequeued"

export class CommitFeed {
  /** Grows with every commit that is told. */
  commits = 0
  /** Grows with every commit after which a step may wait that did not before. */
  arrivals = 0
  /** The newest event that is known here. */
  position: number
  /** The streams of the newest arrivals; undefined for one of another process, which may be in any run. */
  private readonly arrived: Array<ReadonlySet<string> | undefined> = []
  private next = Deferred.makeUnsafe<void, LedgerClosed>()
  private isClosed = false
  private listeners = 0
  private recent: Array<EventEnvelope> = []
  private text = 0

  constructor(position: number) {
    this.position = position
  }

  /** Tells what this process has committed. */
  publish(events: ReadonlyArray<EventEnvelope>): void {
    const first = events[0]
    const last = events.at(-1)
    if (first === undefined || last === undefined) return
    if (this.listeners === 0) {
      // Without a listener nothing is kept: one that comes later looks at the store first.
      this.position = Math.max(last.position, this.position)
      this.commits += 1
      this.arrivals += 1
      this.arrived.length = 0
      return
    }
    this.keep(first, events)
    // What another process committed in between is told with this.
    if (first.position !== this.position + 1) this.arrive(undefined)
    else if (events.some(letsWait)) {
      this.arrive(new Set(events.filter(letsWait).map(({ stream_id }) => stream_id)))
    }
    this.position = Math.max(last.position, this.position)
    this.wake()
  }

  /** Tells that another process has committed, up to a position. */
  publishOthers(position: number): void {
    this.position = Math.max(position, this.position)
    this.arrive(undefined)
    this.wake()
  }

  /** True when a step may wait in a stream of these that did not when `arrivals` was `seen`. */
  arrivedAfter(seen: number, isOf: (streamId: string) => boolean): boolean {
    const missed = this.arrivals - seen
    if (missed > this.arrived.length) return true
    return this.arrived
      .slice(this.arrived.length - missed)
      .some((streams) => streams === undefined || [...streams].some(isOf))
  }

  /** Events behind a position, oldest first; undefined where they must be read from the store. */
  after(position: number): ReadonlyArray<EventEnvelope> | undefined {
    const first = this.recent[0]?.position
    return first !== undefined && first <= position + 1 ? this.recent.slice(position + 1 - first) : undefined
  }

  /** Ends at the next commit, also one before this is run; take it before looking at the store, so that none is missed. */
  wait(): Effect.Effect<void, LedgerClosed> {
    return this.isClosed ? Effect.fail(new LedgerClosed()) : Deferred.await(this.next)
  }

  /** Counts a listener. */
  listen(): void {
    this.listeners += 1
  }

  /** Counts a listener off; true when it was the last one. */
  unlisten(): boolean {
    this.listeners -= 1
    if (this.listeners > 0) return false
    this.forget()
    return true
  }

  /** Ends everybody's waiting. */
  close(): void {
    this.isClosed = true
    Deferred.doneUnsafe(this.next, Exit.fail(new LedgerClosed()))
  }

  private arrive(streams: ReadonlySet<string> | undefined): void {
    this.arrivals += 1
    this.arrived.push(streams)
    if (this.arrived.length > KEPT_ARRIVALS) this.arrived.shift()
  }

  private keep(first: EventEnvelope, events: ReadonlyArray<EventEnvelope>): void {
    // Behind a gap, which is a commit of another process, what was kept can no longer be given alone.
    if (this.recent.at(-1)?.position !== first.position - 1) this.forget()
    for (const event of events) this.text += event.data.length
    this.recent.push(...events)
    if (this.recent.length > KEPT_EVENTS || this.text > KEPT_TEXT) this.forget()
  }

  private forget(): void {
    this.recent = []
    this.text = 0
  }

  private wake(): void {
    this.commits += 1
    if (this.isClosed) return
    const waiting = this.next
    this.next = Deferred.makeUnsafe<void, LedgerClosed>()
    Deferred.doneUnsafe(waiting, Exit.void)
  }
}
