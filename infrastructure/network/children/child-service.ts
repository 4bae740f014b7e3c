// The child's side of the channel: it waits in a read, answers what came and waits again, since events and timers would cost
// more than most answers. It ends when its parent is gone, unless it hangs in a request: then parent-bound-process.ts ends it. It loads
// nothing but what reading a cassette needs.
import { readSync, writeSync } from "node:fs"
import { messageValue } from "../../../domain/canonical/written-json.ts"
import type { AskedBirth } from "../../../domain/network/birth.ts"
import { CassetteFile } from "../cassette-file.ts"
import { askIndex } from "../index/cassette-index.ts"
import { CHANNEL, type ChildAnswer, type ChildRequest } from "./child-messages.ts"
import { LineReader } from "./line-reader.ts"

/** A process of its own is dear already: it keeps a quarter of what a cassette in the hub's process keeps (KiB). */
const CACHE_KIBIBYTES = 2_048

/** How much is read at once (bytes). */
const READ_BYTES = 65_536

/** What answers requests from the cassette in a file. */
export const cassetteAnswers = (
  file: string,
  id: string,
  asked: AskedBirth
): ((message: ChildRequest) => ChildAnswer) => {
  const cassette = new CassetteFile(file, id, { asked, cacheKibibytes: CACHE_KIBIBYTES })
  return ({ number, request }) => {
    const answer = askIndex(cassette, request)
    return "value" in answer ? { number, value: answer.value } : { number, fault: answer }
  }
}

const send = (answer: ChildAnswer): void => {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`)
  for (let sent = 0; sent < bytes.byteLength;) sent += writeSync(CHANNEL, bytes, sent)
}

/** Answers the parent's requests one after another. */
export const serve = (answer: (message: ChildRequest) => ChildAnswer): void => {
  const lines = new LineReader()
  const room = Buffer.alloc(READ_BYTES)
  const turn = (): void => {
    const taken = readSync(CHANNEL, room)
    if (taken === 0) process.exit(0)
    for (const line of lines.read(room.subarray(0, taken))) {
      const message = messageValue(line) as unknown as ChildRequest
      try {
        send(answer(message))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        send({ number: message.number, fault: { status: "error", reason } })
      }
    }
    // The engine has work of its own to do between two requests.
    setImmediate(turn)
  }
  turn()
}
