// The example of importFrom in infrastructure/ledger/copies/ledger-import.ts.
import { createReadStream } from "node:fs"
import * as Stream from "effect/Stream"
import { Ledger } from "cortex-cassette"

export const importing = (file: string) =>
  Ledger.importFrom(
    Stream.fromAsyncIterable(createReadStream(file), (error) => error),
    { filename: "new.db" }
  )
