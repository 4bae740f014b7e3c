// Memories as tools: save a text for later, search what was saved, recall one. Whose memories they are is said by the server's
// --agent alone: no argument and no metadata can change it.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JsonObject } from "../../../domain/canonical/json.ts"
import { textOfAtMost } from "../../../domain/canonical/text.ts"
import type { MemoryPlace } from "../../../application/network/memory-questions.ts"
import { CassetteId } from "../../../domain/network/cassette.ts"
import { DEFAULT_LIMIT, MAX_LISTED_SAVES, MAX_MEMORY_BYTES } from "../../../domain/network/limits.ts"
import { DEFAULT_ANSWER_BYTES, textFrom } from "../../../domain/canonical/answer-budget.ts"
import { goingOnInText, offset } from "./long-text.ts"
import { openNetwork } from "../network-access.ts"
import { answered, cassettes, FoundTexts, limit, query, READ_HIT_WHOLE } from "./network-answers.ts"
import { adds, agentTool, type AgentTool, argument, objectArgument, reads, textArgument } from "./tool.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

const placeText = ({ cassette_id, memories, mutability }: MemoryPlace, speaksForOne: boolean): string => {
  const own = speaksForOne ? "only you find it again" : "each agent its own: needs a server with --agent"
  const who = memories === "private" ? own : "everybody finds it"
  return `${cassette_id} (${who}${rulesOf(mutability).expires ? ", until it expires" : ""})`
}

const memorySave = agentTool({
  name: "memory_save",
  title: "Save a memory",
  description:
    "Save a text for later in a cassette; its hash names it from then on. Use it for what you, or others after you, should know again: decisions, findings, preferences. Saving the same text again keeps one memory and notes another save.",
  ofNetwork: (places, speaksForOne) =>
    places.length === 0
      ? "No cassette of this network keeps memories."
      : `Cassettes that keep memories: ${places.map((place) => placeText(place, speaksForOne)).join("; ")}.`,
  hints: adds,
  input: {
    text: argument(textOfAtMost(MAX_MEMORY_BYTES), "the text, kept as it is given", "The tests need Node 24"),
    cassette: argument(CassetteId, "the cassette that keeps it"),
    metadata: Schema.optionalKey(objectArgument("what else is worth knowing about it"))
  },
  data: Schema.Struct({
    cassette_id: Schema.String,
    hash: Schema.String.annotate({ description: "SHA-256 of the text" }),
    symbol: Schema.String.annotate({ description: "names it in texts and for symbol_resolve" }),
    is_new: Schema.Boolean.annotate({ description: "false when the text had been saved before" }),
    save_count: Schema.Int,
    notices: Schema.Array(Schema.String).annotate({ description: "why it has no vector yet, if so" })
  }),
  run: ({ cassette, metadata = {}, text }) =>
    // Metadata came as JSON.
    Effect.flatMap(openNetwork, (network) => network.memorySave(text, cassette, metadata as JsonObject))
})

const memoryQuery = agentTool({
  name: "memory_query",
  title: "Search memories",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  readWhole: READ_HIT_WHOLE,
  description:
    "Search what was saved with memory_save: your own memories and those of everybody. Use it before you ask or decide again what may be known already.",
  hints: reads,
  input: { query, cassettes, limit },
  data: FoundTexts,
  run: ({ cassettes, limit = DEFAULT_LIMIT, query }) =>
    Effect.flatMap(openNetwork, (network) =>
      network.memoryQuery(query, limit, { cassettes, maxBytes: Infinity })
    )
})

const memoryRecall = agentTool({
  name: "memory_recall",
  title: "Recall a memory",
  defaultBytes: DEFAULT_ANSWER_BYTES,
  goesOn: goingOnInText("text"),
  description:
    "One memory, exactly as it was saved, with who saved it, when and with which metadata. Use it when you have its hash or its symbol (@A:…). Another agent's memory is not found. A long text comes in parts: go on with offset.",
  hints: reads,
  input: {
    hash: textArgument("its hash, 12 or more of its first digits, or its symbol", "@A:3f1c0a9be27d"),
    offset
  },
  data: Schema.Struct({
    hash: Schema.String,
    symbol: Schema.String,
    text: Schema.String,
    sources: Schema.Array(
      Schema.Struct({
        source: Schema.String,
        saves: Schema.Array(
          Schema.Struct({
            agent_id: Schema.NullOr(Schema.String),
            saved_at: Schema.String,
            metadata: Schema.Record(Schema.String, Schema.Unknown)
          })
        ).annotate({ description: `newest first, at most ${MAX_LISTED_SAVES}` }),
        save_count: Schema.Int
      })
    ),
    ...answered
  }),
  run: ({ hash, offset }) =>
    Effect.gen(function* () {
      const recalled = yield* (yield* openNetwork).memoryRecall(hash)
      return { ...recalled, text: textFrom(recalled.text, offset) }
    })
})

const memoryForget = agentTool({
  name: "memory_forget",
  title: "Forget a memory",
  description:
    "Remove a memory from a cassette for good. Use it when what you saved is wrong or must not be kept. You forget only what you alone have saved; only hashes stay, in receipts.",
  hints: { readOnly: false, destructive: true, idempotent: false },
  input: {
    hash: textArgument("its hash, 12 or more of its first digits, or its symbol", "@A:3f1c0a9be27d"),
    cassette: argument(CassetteId, "the cassette that keeps it")
  },
  data: Schema.Struct({
    cassette_id: Schema.String,
    hash: Schema.String,
    symbol: Schema.String,
    save_count: Schema.Int
  }),
  run: ({ cassette, hash }) => Effect.flatMap(openNetwork, (network) => network.memoryForget(hash, cassette))
})

/** The tools of memories in the order in which they are listed. */
export const memoryTools: ReadonlyArray<AgentTool> = [memorySave, memoryQuery, memoryRecall, memoryForget]
