// Where expansions are kept: one flag for all commands that look at them. Nothing else chooses, and nothing falls back.
import * as Flag from "effect/cli/Flag"
import { CACHE_SUBSTRATES } from "../../../application/corpus/expansion-cache.ts"

/** The flag without a default: a command that looks at one kind alone has its own. */
export const cacheKindFlag = Flag.Literals("cache", CACHE_SUBSTRATES).pipe(Flag.withMetavar("KIND"))

export const cacheFlag = cacheKindFlag.pipe(
  Flag.withDefault("sqlite"),
  Flag.withDescription(
    "sqlite (the default): in CORTEX/_generated/system1.db; jsonl: in CORTEX/_cache/expansions.jsonl, a file of JSON lines"
  )
)
