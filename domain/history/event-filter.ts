// Which events of the log are wanted, beyond where they stand: by their type, by the worker whose lease they are about, by their step.
import * as Result from "effect/Result"
import { jcsText } from "../canonical/jcs.ts"
import { isJsonObject } from "../canonical/json.ts"
import { parseStoredJson } from "../canonical/stored-json.ts"
import type { EventEnvelope } from "../ledger/event-envelope.ts"
import type { EventType } from "../ledger/events.ts"

export interface EventFilter {
  readonly type?: EventType | undefined
  readonly worker_id?: string | undefined
  readonly step_id?: string | undefined
}

/** True for the events that are wanted. Data is canonical, so that a text that is not in it need not be looked for as a member. */
export const eventFilter = ({ type, ...members }: EventFilter): ((event: EventEnvelope) => boolean) => {
  const wanted = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value, text: jcsText(value) }]
  )
  return (event) => {
    if (type !== undefined && event.type !== type) return false
    if (wanted.length === 0) return true
    if (!wanted.every(({ text }) => event.data.includes(text))) return false
    const data = Result.getOrUndefined(parseStoredJson(event.data))
    return isJsonObject(data) && wanted.every(({ name, value }) => data[name] === value)
  }
}
