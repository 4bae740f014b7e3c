// Which runs there are, and which may have a step that waits: hints alone. Each carries the position of the run's head, so that an
// older one never overtakes a newer.
import { DurableObject } from "cloudflare:workers"
import type { LedgerObject } from "cortex-cassette/durable-objects"
import type { Env } from "./bindings.ts"

type State = ConstructorParameters<typeof DurableObject>[0]

/** How many runs are named at a time. */
const PAGE = 32

export class Directory extends DurableObject<Env> {
  constructor(state: State, env: Env) {
    super(state, env)
    state.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS runs (run_id TEXT PRIMARY KEY, position INTEGER, waiting INTEGER) STRICT, WITHOUT ROWID"
    )
    state.storage.sql.exec("CREATE INDEX IF NOT EXISTS waiting_runs ON runs (run_id) WHERE waiting = 1")
  }

  hint(runId: string, position: number, isWaiting: boolean): void {
    this.ctx.storage.sql.exec(
      "INSERT INTO runs VALUES (?1, ?2, ?3) ON CONFLICT (run_id) DO UPDATE SET position = ?2, waiting = ?3 WHERE position <= ?2",
      runId,
      position,
      Number(isWaiting)
    )
  }

  /** Runs that may have a waiting step, behind a run in the order of their ids, round and round. */
  waiting(afterRun: string): ReadonlyArray<string> {
    const behind = this.#names("waiting = 1 AND run_id > ?", afterRun)
    return behind.length > 0 ? behind : this.#names("waiting = 1 AND run_id > ?", "")
  }

  /** All runs behind one, in the order of their ids. */
  all(afterRun: string): ReadonlyArray<string> {
    return this.#names("run_id > ?", afterRun)
  }

  #names(condition: string, afterRun: string): ReadonlyArray<string> {
    return this.ctx.storage.sql
      .exec(`SELECT run_id FROM runs WHERE ${condition} ORDER BY run_id LIMIT ${PAGE}`, afterRun)
      .toArray()
      .map((row) => String(row["run_id"]))
  }
}

/** Claims a step of any run: the directory names runs, and the run's own ledger decides. Undefined when none waits. */
export const claimAcross = async (
  env: Env,
  worker_id: string,
  afterRun: string
): Promise<Awaited<ReturnType<LedgerObject["claim"]>> | undefined> => {
  const directory = env.DIRECTORY.getByName("directory")
  while (true) {
    const runs = await directory.waiting(afterRun)
    if (runs.length === 0) return undefined
    for (const run_id of runs) {
      const claimed = await env.RUN.getByName(run_id).claim({ run_id, worker_id })
      // A run that had none has told the directory by now.
      if (claimed.ok || claimed.error.code !== "NO_PENDING_STEP") return claimed
    }
  }
}
