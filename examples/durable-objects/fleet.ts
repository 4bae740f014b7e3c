// The heads of all runs, noted in a ledger of their own. An object that was wiped and used again is a sound ledger by itself: only a
// note made before shows that its history is gone. A checkpoint of this ledger covers all runs.
import { LedgerObject, signingKeyFromPem } from "cortex-cassette/durable-objects"
import type { Env } from "./bindings.ts"

/** A head as it is noted. */
interface Note {
  readonly position: number
  readonly hash: string
}

/** What was found in a run. */
export interface Verdict {
  readonly run_id: string
  readonly verdict: "PASS" | "FAIL"
  readonly findings: ReadonlyArray<string>
}

export class Fleet extends LedgerObject<Env> {
  protected override readonly signingKey = () => signingKeyFromPem(this.env.AUDIT_KEY)

  /** Notes where every run's history ends now, if it goes on from the newest note: a run that does not keeps failing. */
  async noteAll(): Promise<number> {
    let noted = 0
    for await (const run_id of this.#runIds()) {
      const head = await this.env.RUN.getByName(run_id).head()
      if (!head.ok) continue
      if (!(await this.#goesOn(run_id))) continue
      const { hash, position } = head.data
      const posted = await this.post({
        run_id,
        source: "SYSTEM",
        payload: { position, hash },
        // The same head is noted once; another one at the same place is a conflict, and stays what it was.
        idempotency_key: String(position)
      })
      if (posted.ok) noted += 1
    }
    return noted
  }

  /** Verifies every run against the newest note of it. */
  async verifyAll(): Promise<ReadonlyArray<Verdict>> {
    const verdicts: Array<Verdict> = []
    for await (const run_id of this.#runIds()) verdicts.push(await this.#verifyRun(run_id))
    return verdicts
  }

  async #verifyRun(run_id: string): Promise<Verdict> {
    const note = await this.#noteOf(run_id)
    const outcome = await this.env.RUN.getByName(run_id).verify(
      note === undefined ? {} : { expectHead: note }
    )
    if (!outcome.ok) return { run_id, verdict: "FAIL", findings: [outcome.error.message] }
    const { findings, verdict } = outcome.data
    return { run_id, verdict, findings: findings.map(({ code, message }) => `${code}: ${message}`) }
  }

  async #goesOn(run_id: string): Promise<boolean> {
    const note = await this.#noteOf(run_id)
    if (note === undefined) return true
    const found = await this.env.RUN.getByName(run_id).log({ after: note.position - 1, limit: 1 })
    return found.ok && found.data[0]?.hash === note.hash
  }

  async #noteOf(run_id: string): Promise<Note | undefined> {
    const newest = await this.newest({ run_id, limit: 1 })
    const [event] = newest.ok ? newest.data : []
    if (event === undefined) return undefined
    return (JSON.parse(event.data) as { readonly payload: Note }).payload
  }

  async *#runIds(): AsyncGenerator<string> {
    const directory = this.env.DIRECTORY.getByName("directory")
    for (let page = await directory.all(""); page.length > 0; page = await directory.all(page.at(-1) ?? "")) {
      yield* page
    }
  }
}
