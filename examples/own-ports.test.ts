// A ledger with a port of the program's own, and the tests that any ledger must pass. Run it with `npx vitest run` where
// `cortex-cassette`, `effect`, `vitest` and `fast-check` are installed.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Ledger, type MessageRow, SqliteLedger } from "cortex-cassette"
import { LedgerReader } from "cortex-cassette/application"
import { ledgerLaws, memoryLedgerLayer } from "cortex-cassette/testing"

/** Reads as the reader below it does, and remembers messages, which never change. */
const rememberingReader = Layer.effect(
  LedgerReader,
  Effect.map(LedgerReader, (reader) => {
    const known = new Map<string, MessageRow>()
    return {
      ...reader,
      message: (id) => {
        const row = known.get(id)
        if (row !== undefined) return Effect.succeed(row)
        return Effect.tap(reader.message(id), (found) =>
          Effect.sync(() => found && known.set(found.message_id, found))
        )
      }
    }
  })
)

const ports = rememberingReader.pipe(Layer.provideMerge(SqliteLedger.layer({ filename: ":memory:" })))

ledgerLaws("a ledger whose reader remembers", () => Ledger.layerFrom(ports), { runs: 5 })
ledgerLaws("a ledger in memory", () => memoryLedgerLayer, { runs: 5 })
