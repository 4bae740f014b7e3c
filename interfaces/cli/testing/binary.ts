// The program that tests start: `CORTEX_BINARY` names a built one, as a whole run of the tests does; else it is the sources.
import { join } from "node:path"

export const binary = process.env["CORTEX_BINARY"] ?? join(import.meta.dirname, "..", "bin.ts")
