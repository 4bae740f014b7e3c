// What the ledger proves afterwards: its verdict, a line for each event, and how often each activity was asked for and recorded.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { decodeEvent, type EventEnvelope, Ledger } from "cortex-cassette"
import { askedIn } from "./outside.ts"

/** One event as a line. */
const lineOf = (envelope: EventEnvelope): string => {
  const event = Result.getOrThrow(decodeEvent(envelope))
  const place = event.stream_id.replace(/^run:/, "").replace(/(.{24}).+/, "$1…")
  const what =
    event.type === "MessagePosted"
      ? String(event.data.payload["intent"])
      : event.type === "StepClaimed"
        ? `claimed by ${event.data.worker_id}`
        : event.type === "StepCompleted"
          ? `${event.data.outcome} ${String(event.data.receipt["turn"] ?? "")}`
          : event.type === "StepRequeued"
            ? `waits again: ${event.data.reason}`
            : event.type
  return `${String(event.position).padStart(4)}  ${event.recorded_at.slice(11, 23)}  ${place.padEnd(26)} ${what}`
}

/** Prints the proof; true when everything came out as it must. */
export const prove = (folder: string, say: (text: string) => void) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const events = yield* Stream.runCollect(ledger.events({ live: false }))
    for (const event of events) say(lineOf(event))

    const asked = Map.groupBy(askedIn(folder), ({ order, what }) => `${what} ${order}`)
    for (const [name, requests] of asked) {
      const done = requests.filter(({ how }) => how === "done").length
      say(`${name}: asked for ${requests.length} time(s), done ${done} time(s)`)
    }
    const { findings, verdict } = yield* ledger.verifyCassette()
    for (const { code, message, where } of findings) say(`${code} ${where}: ${message}`)
    say(verdict)
    return (
      verdict === "PASS" &&
      [...asked.values()].every((all) => all.filter(({ how }) => how === "done").length === 1)
    )
  }).pipe(Effect.provide(Ledger.layer({ filename: join(folder, "orders.db") })))
