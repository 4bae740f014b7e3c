// Damage of a database file, as code that works on SQLite throws it for every store.
import * as Schema from "effect/Schema"

/**
 * A database is damaged. It never leaves the part whose file it is: that part's own error says so instead
 * (`StoreCorrupt`, `CorpusCorrupt`, `CassetteDamaged`), with the command that lists every fault.
 */
export class DatabaseDamaged extends Schema.TaggedError<DatabaseDamaged>()("DatabaseDamaged", {
  code: Schema.String,
  where: Schema.String,
  finding: Schema.String
}) {
  override get message() {
    return `The database is damaged (${this.code} at ${this.where}: ${this.finding})`
  }
}
