// What the ledger proves afterwards: its verdict, a line for each event, and how often each activity was asked for and recorded.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { History, Ledger } from "cortex-cassette"
import { askedIn } from "./outside.ts"

/** Prints the proof; true when everything came out as it must. */
export const prove = (folder: string, say: (text: string) => void) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const history = yield* History
    yield* Stream.runForEach(history.timeline(), ({ position, recorded_at, sentence, stream_id }) =>
      Effect.sync(() => {
        const run = stream_id.replace(/^run:/, "").replace(/(.{20}).+/, "$1…")
        say(`${String(position).padStart(4)}  ${recorded_at.slice(11, 23)}  ${run.padEnd(21)}  ${sentence}`)
      })
    )

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
  }).pipe(
    Effect.provide(
      History.layer.pipe(Layer.provideMerge(Ledger.layer({ filename: join(folder, "orders.db") })))
    )
  )
