// One of several processes on a contestant's file: it opens, says that it is ready, and finishes its messages when it is
// told to begin. Started by the benchmark `peers` with a message; never by hand.
import { once } from "node:events"
import type { Opening } from "./contestant.ts"
import { openContestant } from "./contestants.ts"

/** What a process is to do; the work begins with the parent's second message. */
export interface Part extends Opening {
  readonly caller: string
  readonly messages: number
}

const nextMessage = async (): Promise<unknown> => (await once(process, "message"))[0]

const part = (await nextMessage()) as Part
const contestant = await openContestant(part)
process.send?.("ready")
await nextMessage()
await contestant.finish(part.caller, part.messages)
await contestant.close()
process.send?.("done", () => process.disconnect())
