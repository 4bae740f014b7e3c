// A ledger file as a page about it reads it: nothing in it and beside it is changed. The tree that proofs are made from stands in a
// private folder, which ends with the scope.
import * as Layer from "effect/Layer"
import { History } from "../../application/history/history.ts"
import { Inspection, type InspectionOptions } from "../../application/inspection/inspection.ts"
import { Ledger } from "../../application/ledger/ledger.ts"
import { IN_MEMORY } from "../../infrastructure/ledger/opening/ledger-options.ts"
import { merkleFileLayer } from "../../infrastructure/ledger/merkle/merkle-file-log.ts"
import { sqliteLedgerLayer } from "../../infrastructure/ledger/sqlite-ledger.ts"

/** The inspection and the history of a file that is opened to be read. */
export const inspectedLedger = (
  filename: string,
  options: InspectionOptions & { readonly allowNetworkFs: boolean }
) => {
  const { allowNetworkFs } = options
  const ports = merkleFileLayer(IN_MEMORY).pipe(
    Layer.provideMerge(sqliteLedgerLayer({ filename, mode: "read", allowNetworkFs }))
  )
  return Layer.merge(Inspection.layerWith(options), History.layerNoDeps).pipe(
    Layer.provide(Ledger.layerFrom(ports)),
    Layer.provide(ports)
  )
}
