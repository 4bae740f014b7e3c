/**
 * What a file is, is one moment's answer: while another connection makes the store between two looks of the same
 * inspection, the file is still empty or a whole store, and never a stranger or damaged.
 */
import { join } from "node:path"
import { expect, it } from "vitest"
import { inspectCorpus, migrateCorpus } from "../../corpus/corpus-schema.ts"
import { inspect } from "../../ledger/opening/ledger-inspection.ts"
import { migrate } from "../../ledger/opening/migration-runner.ts"
import { schemaSteps } from "../../ledger/opening/schema-snapshots.ts"
import { inspectCassette } from "../../network/cassette-file.ts"
import { createCassette } from "../../network/cassette-schema.ts"
import { temporaryFolder } from "../../testing/temporary-folder.ts"
import {
  configureForWriting,
  type Connection,
  openForReading,
  openForWriting
} from "../connection/better-sqlite3-host.ts"

interface Kind {
  readonly look: (connection: Connection) => { readonly kind: string }
  readonly make: (connection: Connection) => unknown
}

const kinds: ReadonlyArray<readonly [string, Kind]> = [
  [
    "ledger",
    {
      look: inspect,
      make: (connection) =>
        migrate(connection, schemaSteps(), { ledgerId: "l", createdAt: "2026-01-01T00:00:00.000Z" })
    }
  ],
  ["corpus", { look: inspectCorpus, make: migrateCorpus }],
  [
    "cassette",
    {
      look: inspectCassette,
      make: (connection) =>
        createCassette(connection, { id: "one", mutability: "mutable", memories: "shared", ttlMillis: 1 })
    }
  ]
]

it.each(kinds)(
  "a %s that is made after any look of an inspection was not there, or is",
  (name, { look, make }) => {
    for (let moment = 1; moment <= 6; moment++) {
      const file = join(temporaryFolder(), "a.db")
      const writer = openForWriting(file)
      configureForWriting(writer, "normal")
      const reader = openForReading(file)
      let looks = 0
      const meanwhile = () => {
        looks += 1
        if (looks === moment) make(writer)
      }
      const interrupted: Connection = {
        ...reader,
        all: (sql, parameters) => {
          const rows = reader.all(sql, parameters)
          meanwhile()
          return rows as Array<never>
        },
        pragma: (text) => {
          const value = reader.pragma(text)
          meanwhile()
          return value
        }
      }
      const seen = look(interrupted)
      if (looks < moment) make(writer)
      const made = look(reader)
      expect(made.kind).toBe(name)
      expect([{ kind: "empty" }, made], `after look ${moment}`).toContainEqual(seen)
      reader.close()
      writer.close()
    }
  }
)
