// A cassette's child that answers its first request with the name of its file, and then waits.
import { readSync, writeSync } from "node:fs"
import { CHANNEL } from "../children/child-messages.ts"

readSync(CHANNEL, Buffer.alloc(65_536))
writeSync(CHANNEL, `${process.argv[2]}\n`)
readSync(CHANNEL, Buffer.alloc(1))
