// The ids of requests that are being served. No request may take the id of another one that has no answer yet: neither the
// client nor the server could tell them apart. A cancelled request has no answer that would set its id free.
import type { JsonObject, JsonValue } from "../../domain/canonical/json.ts"
import { cancelledBy, each, type Passed } from "./messages/message-order.ts"

/** How many ids of cancelled requests are kept from being used again. */
const MAX_CANCELLED = 10_000

/** An id as JSON text: 7 and "7" are two. */
const spelled = (id: JsonValue | undefined): string => JSON.stringify(id) ?? ""

export class IdsInUse {
  private readonly served = new Set<string>()
  private readonly cancelled = new Set<string>()

  /** True for the id, as JSON text, of a request that is being served or was cancelled. */
  has(id: string): boolean {
    return this.served.has(id) || this.cancelled.has(id)
  }

  /** Requests were handed on to the protocol, or cancelled. */
  began(passed: Passed): void {
    for (const { id } of each(passed)) if (id !== undefined) this.served.add(spelled(id))
    for (const id of cancelledBy(passed)) {
      if (!this.served.delete(spelled(id))) continue
      this.cancelled.add(spelled(id))
      const [oldest] = this.cancelled
      if (this.cancelled.size > MAX_CANCELLED && oldest !== undefined) this.cancelled.delete(oldest)
    }
  }

  /** The protocol wrote answers. */
  answered(answers: ReadonlyArray<JsonObject>): void {
    for (const { id } of answers) this.served.delete(spelled(id))
  }
}
