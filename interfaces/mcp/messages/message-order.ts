// In which order messages reach the protocol, and what ends with the input. A list of tools waits for the network, which may
// be slow to open; nothing that comes behind it waits with it. A subscription has no end of its own, so that a server whose
// input has ended would wait for its answer without end.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../domain/canonical/json.ts"

/** A message for the protocol, or a batch of them. */
export type Passed = JsonObject | ReadonlyArray<JsonObject>

const CANCELLED = "notifications/cancelled"

/** The messages one by one. */
export const each = (passed: Passed): ReadonlyArray<JsonObject> => [passed].flat()

const asks = (passed: Passed, method: string): boolean =>
  each(passed).some((message) => message["method"] === method)

/** The ids of the requests that are cancelled. */
export const cancelledBy = (passed: Passed): ReadonlyArray<JsonValue | undefined> =>
  each(passed)
    .filter(({ method }) => method === CANCELLED)
    .map(({ params }) => (isJsonObject(params) ? params["requestId"] : undefined))

/** Without the requests of these ids; undefined when nothing is left. */
const without = (passed: Passed, ids: ReadonlyArray<JsonValue | undefined>): Passed | undefined => {
  const left = each(passed).filter(({ id }) => id === undefined || !ids.includes(id))
  if (left.length === 0) return undefined
  return Array.isArray(passed) ? left : left[0]
}

/** A message that waits; undefined once it was cancelled. */
class Held {
  message: Passed | undefined
  readonly ready: Promise<Held>

  constructor(message: Passed, wait: Promise<void>) {
    this.message = message
    this.ready = wait.then(() => this)
  }
}

/** The messages in their order, but for lists of tools: each comes when `beforeList` has run, and others pass it. */
export async function* listsApart(
  messages: AsyncIterable<Passed>,
  beforeList: () => Promise<void>
): AsyncGenerator<Passed> {
  const arriving = messages[Symbol.asyncIterator]()
  const held = new Set<Held>()
  let next: Promise<IteratorResult<Passed>> | undefined = arriving.next()
  try {
    while (next !== undefined || held.size > 0) {
      const waits = [...held].map(({ ready }) => ready)
      const come: Held | IteratorResult<Passed> = await Promise.race(
        next === undefined ? waits : [next, ...waits]
      )
      if (come instanceof Held) {
        held.delete(come)
        if (come.message !== undefined) yield come.message
      } else if (come.done === true) {
        next = undefined
      } else {
        next = arriving.next()
        const cancelled = cancelledBy(come.value)
        for (const one of held) one.message &&= without(one.message, cancelled)
        if (asks(come.value, "tools/list")) held.add(new Held(come.value, beforeList()))
        else yield come.value
      }
    }
  } finally {
    // Not awaited: a source that waits for its next message returns when that has come.
    void arriving.return?.()
  }
}

/** The messages, and behind the last one the end of every subscription. */
export async function* subscriptionsEnded(messages: AsyncIterable<Passed>): AsyncGenerator<Passed> {
  const open = new Set<JsonValue | undefined>()
  for await (const passed of messages) {
    for (const { id, method } of each(passed)) if (method === "subscriptions/listen") open.add(id)
    for (const id of cancelledBy(passed)) open.delete(id)
    yield passed
  }
  for (const requestId of open) {
    if (requestId !== undefined) yield { jsonrpc: "2.0", method: CANCELLED, params: { requestId } }
  }
}
