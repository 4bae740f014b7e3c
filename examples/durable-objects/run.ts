// One run: a ledger that tells the directory when steps begin or cease to wait. A hint that is lost or late costs a call, never a
// step: whether there is one is decided here.
import { LedgerObject } from "cortex-cassette/durable-objects"
import type { Env } from "./bindings.ts"

export class Run extends LedgerObject<Env> {
  override async post(command: Parameters<LedgerObject["post"]>[0]) {
    const outcome = await super.post(command)
    await this.#hint()
    return outcome
  }

  override async requeue(command: Parameters<LedgerObject["requeue"]>[0]) {
    const outcome = await super.requeue(command)
    await this.#hint()
    return outcome
  }

  override async claim(command: Parameters<LedgerObject["claim"]>[0]) {
    const outcome = await super.claim(command)
    if (!outcome.ok && outcome.error.code === "NO_PENDING_STEP") await this.#hint()
    return outcome
  }

  async #hint(): Promise<void> {
    const status = await this.status()
    if (!status.ok) return
    const { head, ledger_id = "", runs } = status.data
    const isWaiting = runs.some(({ pending }) => pending > 0)
    await this.env.DIRECTORY.getByName("directory").hint(ledger_id, head.position, isWaiting)
  }
}
