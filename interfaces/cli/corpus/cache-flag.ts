// Where expansions are kept: one flag for all commands that look at them. Nothing else chooses, and nothing falls back.
import * as Flag from "effect/cli/Flag"
import { CACHE_SUBSTRATES } from "../../../application/corpus/expansion-cache.ts"

export const cacheFlag = Flag.Literals("cache", CACHE_SUBSTRATES).pipe(
  Flag.withMetavar("KIND"),
  Flag.withDefault("sqlite"),
  Flag.withDescription(
    "sqlite: in CORTEX/_generated/system1.db; jsonl: in CORTEX/_cache/expansions.jsonl, a file of JSON lines"
  )
)
