// The example of SqliteLedger in interfaces/embedding/ledger.ts.
import * as Layer from "effect/Layer"
import { Ledger, SqliteLedger } from "cortex-cassette"
import { LedgerReader } from "cortex-cassette/application"

// A host's own reader, here one that is the reader below it.
const reader = Layer.effect(LedgerReader, LedgerReader)
const ports = Layer.provideMerge(reader, SqliteLedger.layer({ filename: "ported.db" }))
export const layer = Ledger.layerFrom(ports)
