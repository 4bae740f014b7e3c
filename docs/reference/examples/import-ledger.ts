// The example of importLedger in interfaces/promise/index.ts.
import { createReadStream } from "node:fs"
import { importLedger } from "cortex-cassette/promise"

export const importing = () => importLedger(createReadStream("events.jsonl"), { filename: "new.db" })
