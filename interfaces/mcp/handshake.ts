// How far the handshake of a session is, as its lines tell. A line that follows `initialize` waits until that is answered, so
// that a client which does not wait for the answer is served all the same.
import { isJsonObject, type JsonObject, type JsonValue } from "../../domain/canonical/json.ts"
import type { Agreement } from "./messages/message-judge.ts"

/** The one version of the protocol that has batches. */
const BATCH_VERSION = "2025-03-26"

export class Handshake {
  agreement: Agreement = { isAgreed: false, takesBatches: false }
  /** Fulfilled while no `initialize` waits for its answer. */
  settled: Promise<void> = Promise.resolve()
  private waiting: { readonly id: JsonValue; readonly settle: () => void } | undefined

  /** A message was handed on to the protocol. */
  began(message: JsonValue): void {
    if (!isJsonObject(message) || message["method"] !== "initialize") return
    const { id = null } = message
    this.settled = new Promise((settle) => {
      this.waiting = { id, settle }
    })
  }

  /** The protocol wrote answers. */
  answered(answers: ReadonlyArray<JsonObject>): void {
    const { waiting } = this
    const answer = answers.find(({ id }) => waiting !== undefined && id === waiting.id)
    if (answer === undefined) return
    const { result } = answer
    if (isJsonObject(result)) {
      this.agreement = { isAgreed: true, takesBatches: result["protocolVersion"] === BATCH_VERSION }
    }
    waiting?.settle()
    this.waiting = undefined
  }
}
