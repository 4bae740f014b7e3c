// The floor under the product: a program of a few statements that writes the same events through the same triggers
// with nothing but better-sqlite3. It knows one worker and decides nothing; anyone who uses it must know that each
// event is legal, and the triggers say so if not.
import Database from "better-sqlite3"
import * as Effect from "effect/Effect"
import { Ledger, type LedgerOptions } from "../../interfaces/embedding/index.ts"
import { hashAfter, type RawEvent, type RawHead } from "./events.ts"

export type Durability = "FULL" | "NORMAL"

/** The step that a claim would take. */
export interface NextStep {
  readonly step_id: string
  readonly fencing_token: number
  readonly payload_json: string
}

/** A connection set as the product sets its own. */
export const openDatabase = (file: string, durability: Durability): Database.Database => {
  const database = new Database(file)
  database.pragma("journal_mode = WAL")
  database.pragma(`synchronous = ${durability}`)
  database.pragma("foreign_keys = ON")
  database.pragma("temp_store = MEMORY")
  return database
}

const hour = 3_600_000

/** The statements of the floor program on one connection. */
export class RawLedger {
  head: RawHead = { position: 0, hash: "" }
  recordedAt = ""
  leaseEnd = ""
  readonly database: Database.Database
  private readonly beginning: Database.Statement
  private readonly ending: Database.Statement
  private readonly headQuery: Database.Statement<[], RawHead>
  private readonly insert: Database.Statement
  private readonly nextQuery: Database.Statement<[string], NextStep>

  constructor(database: Database.Database) {
    this.database = database
    this.beginning = database.prepare("BEGIN IMMEDIATE")
    this.ending = database.prepare("COMMIT")
    this.headQuery = database.prepare("SELECT size AS position, hash FROM head")
    this.insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, 1, ?, ?, ?, ?)")
    this.nextQuery = database.prepare(
      "SELECT step_id, fencing_token, payload_json FROM cassette_steps WHERE run_id = (SELECT ?) AND status = 'PENDING' ORDER BY step_id LIMIT 1"
    )
  }

  /** Takes the write lock, reads the head and sets the time of what follows. */
  begin(): void {
    this.beginning.run()
    const now = Date.now()
    this.recordedAt = new Date(now).toISOString()
    this.leaseEnd = new Date(now + hour).toISOString()
    this.head = this.headQuery.get() ?? this.head
  }

  commit(): void {
    this.ending.run()
  }

  /** Hashes and inserts the event that follows the head. */
  append(event: RawEvent): void {
    const position = this.head.position + 1
    const hash = hashAfter(this.head, event, this.recordedAt)
    this.insert.run(position, event.type, event.stream_id, event.data, this.recordedAt, this.head.hash, hash)
    this.head = { position, hash }
  }

  /** The oldest waiting step of a run; throws when there is none. */
  next(run: string): NextStep {
    const step = this.nextQuery.get(run)
    if (step === undefined) throw new Error(`no step of ${run} waits`)
    return step
  }

  close(): void {
    this.database.close()
  }
}

/** Makes a new ledger file the way the product does, with its LedgerCreated event, and closes it. */
export const createLedger = (options: LedgerOptions): Promise<void> =>
  Effect.runPromise(Effect.void.pipe(Effect.provide(Ledger.layer(options))))

/** A new ledger file with the floor program on it. */
export const createRawLedger = async (file: string, durability: Durability): Promise<RawLedger> => {
  await createLedger({ filename: file })
  return new RawLedger(openDatabase(file, durability))
}
