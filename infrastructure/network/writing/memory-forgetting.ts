// Removes a memory from the file of a local cassette. It is gone when this ends; a process that is killed meanwhile has
// removed all of it or nothing.
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { ForgetMemory } from "../../../application/network/cassette.ts"
import { WriteRefused } from "../../../domain/network/errors.ts"
import { openCassetteWriter } from "./cassette-writer.ts"
import type { ConfiguredCassette } from "../configured-cassette.ts"
import { forgetMemory } from "./memory-writing.ts"

/** What removes memories from a cassette of the configuration. */
export const memoryForgetting =
  ({ birth, file, id }: ConfiguredCassette): ForgetMemory =>
  (hash, agent) =>
    Effect.scoped(
      Effect.gen(function* () {
        // What is not there has no memories, and is not made for this.
        if (!existsSync(file)) return 0
        const write = yield* openCassetteWriter(file, birth, "full")
        const outcome = yield* write((connection) => forgetMemory(connection, hash, agent))
        const refused = (reason: string) => new WriteRefused({ cassette_id: id, reason })
        switch (outcome.outcome) {
          case "forgotten":
            return outcome.save_count
          case "absent":
            return 0
          case "kept":
            return yield* refused("its mutability keeps every memory")
          case "saved_by_others":
            return yield* refused(
              "the memory was saved by others too: an agent forgets what it alone has saved (--agent or CORTEX_AGENT says who forgets)"
            )
        }
      })
    )
