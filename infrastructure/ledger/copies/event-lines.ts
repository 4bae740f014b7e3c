// Takes events out of bytes as they come: lines of JSON, with no more in memory than a page of them. It judges the form
// alone; whether the events are a ledger is for the replay to say.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { InvalidInput } from "../../../domain/foundation/errors.ts"
import type { EventEnvelope } from "../../../domain/ledger/event-envelope.ts"
import { readEventLine } from "../../../domain/ledger/event-line.ts"
import { MAX_EVENT_LINE_BYTES } from "../../../domain/ledger/limits.ts"

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** An event, and the number of its line. */
export interface EventOfLine {
  readonly line: number
  readonly event: EventEnvelope
}

/** Refuses what was read, with a sentence that names the place. */
export const refusedEvents = (message: string) =>
  new InvalidInput({ message, issues: [{ path: "events", message }] })

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

class LineEvents {
  private parts: Array<Uint8Array> = []
  private size = 0
  private line = 0

  /** The events of the lines that end in these bytes. */
  read(bytes: Uint8Array): ReadonlyArray<EventOfLine> {
    const events: Array<EventOfLine> = []
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      this.keep(bytes.subarray(from, end))
      events.push(...this.whole())
      from = end + 1
    }
    if (from < bytes.length) this.keep(new Uint8Array(bytes.subarray(from)))
    return events
  }

  /** The event of a last line without an end. */
  rest(): ReadonlyArray<EventOfLine> {
    return this.size === 0 ? [] : this.whole()
  }

  private keep(part: Uint8Array): void {
    this.size += part.length
    if (this.size > MAX_EVENT_LINE_BYTES) {
      throw refusedEvents(
        `line ${this.line + 1} is no event: it is longer than ${MAX_EVENT_LINE_BYTES} bytes`
      )
    }
    this.parts.push(part)
  }

  private whole(): ReadonlyArray<EventOfLine> {
    const bytes = Buffer.concat(this.parts)
    this.parts = []
    this.size = 0
    this.line += 1
    const text = this.textOf(bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes)
    if (text === "") return []
    const event = readEventLine(text, this.line)
    if (Result.isFailure(event)) throw refusedEvents(event.failure)
    return [{ line: this.line, event: event.success }]
  }

  private textOf(bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes)
    } catch {
      // With "fatal" the decoder throws for one reason.
      throw refusedEvents(`line ${this.line} is not UTF-8: save the text as UTF-8`)
    }
  }
}

const orRefused = <A>(read: () => A): Effect.Effect<A, InvalidInput> =>
  Effect.try({
    try: read,
    catch: (error) => {
      if (error instanceof InvalidInput) return error
      throw error
    }
  })

/** The events of a text of JSON lines, page by page; the first line that is none is refused with its number. */
export const eventsOfLines = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<ReadonlyArray<EventOfLine>, E | InvalidInput, R> =>
  Stream.suspend(() => {
    const lines = new LineEvents()
    return bytes.pipe(
      Stream.mapEffect((chunk) => orRefused(() => lines.read(chunk))),
      Stream.concat(Stream.fromEffect(Effect.suspend(() => orRefused(() => lines.rest())))),
      Stream.filter((page) => page.length > 0)
    )
  })
