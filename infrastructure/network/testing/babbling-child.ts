// A cassette's child that answers its first request with something that is no answer, and then waits.
import { readSync, writeSync } from "node:fs"
import { CHANNEL } from "../child-messages.ts"

readSync(CHANNEL, Buffer.alloc(65_536))
writeSync(CHANNEL, "nonsense\n")
readSync(CHANNEL, Buffer.alloc(1))
