// What becomes of memories in a local cassette: what its file says, since that alone counts, and what the configuration
// asks for while there is no file.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { MemoryRule } from "../../../application/network/cassette.ts"
import type { Mutability } from "../../../domain/network/cassette.ts"
import { CassetteOffline } from "../../../domain/network/errors.ts"
import { CassetteFile } from "../cassette-file.ts"
import type { ConfiguredCassette } from "../configured-cassette.ts"
import { patiently } from "../index/patient-reading.ts"

const readRule = ({ asked, birth, file, id }: ConfiguredCassette) =>
  Effect.suspend((): Effect.Effect<MemoryRule, CassetteOffline> => {
    if (!existsSync(file)) {
      return Effect.succeed({ memories: birth.memories, mutability: birth.mutability })
    }
    const cassette = new CassetteFile(file, id, { asked })
    const read = cassette.read(({ meta }): MemoryRule => ({
      memories: meta.get("memories") === "private" ? "private" : "shared",
      mutability: (meta.get("mutability") ?? birth.mutability) as Mutability
    }))
    cassette.close()
    return "value" in read
      ? Effect.succeed(read.value)
      : Effect.fail(new CassetteOffline({ cassette_id: id, ...read }))
  })

/** Reads the rule now; it waits for writers, as questions do. */
export const memoryRuleOf = (configured: ConfiguredCassette): Effect.Effect<MemoryRule, CassetteOffline> =>
  patiently(readRule(configured))
