// `cortex network query`: asks every cassette, or some of them, and prints one ranked list or one list for each.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { SEARCH_MODES } from "../../../domain/network/cassette.ts"
import { repeatedFlag, textFlag } from "../../shared/flags.ts"
import { maxBytesFlag } from "../bounded-output.ts"
import { switchFlag } from "../../shared/options.ts"
import { answerHits, answerHitsByCassette } from "./hit-lines.ts"
import { limitFlag, questionText } from "./lookup-flags.ts"
import { withNetwork } from "./open-network.ts"

export const queryCommand = Command.make(
  "query",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription(
        'what to look for; words in double quotes ("…") must stand as they are; - is standard input'
      )
    ),
    limit: limitFlag,
    cassettes: repeatedFlag("cassette", "ID", "ask this cassette", "all"),
    capability: textFlag(
      "capability",
      "NAME",
      "ask only cassettes with this capability, such as research or ast"
    ).pipe(Flag.optional),
    mode: Flag.Literals("mode", SEARCH_MODES).pipe(
      Flag.withMetavar("MODE"),
      Flag.optional,
      Flag.withDescription(
        "lexical: by words; vector: by meaning; hybrid: both (default: hybrid where there are vectors)"
      )
    ),
    byCassette: switchFlag("by-cassette", "one list for each cassette instead of one for all"),
    maxBytes: maxBytesFlag,
    strict: switchFlag("strict", "any cassette that does not answer is an error")
  },
  Effect.fnUntraced(function* ({
    byCassette,
    capability,
    cassettes,
    limit,
    maxBytes,
    mode,
    strict,
    text: given
  }) {
    const text = yield* questionText(given)
    const options = {
      cassettes: cassettes.length === 0 ? undefined : cassettes,
      capability: Option.getOrUndefined(capability),
      mode: Option.getOrUndefined(mode),
      strict,
      // What is written is bounded, in the format that was asked for.
      maxBytes: Infinity
    }
    if (byCassette) {
      const found = yield* withNetwork((network) => network.queryAll(text, limit, options))
      return yield* answerHitsByCassette(found, text, maxBytes)
    }
    const found = yield* withNetwork((network) => network.query(text, limit, options))
    yield* answerHits(found, text, maxBytes)
  })
).pipe(
  Command.withDescription(
    "Search the cassettes of the network and rank what they find as if it lay in one. Cassettes that do not answer are named on standard error and under answers in JSON."
  ),
  Command.withShortDescription("search all cassettes"),
  Command.withExamples([
    { command: 'cortex network query "error handling patterns"' },
    {
      command: "cortex network query 'the \"memory architecture\" of agents' --capability research --limit 5"
    },
    { command: "cortex network query multi-agent --cassette governance --cassette thought --format json" }
  ])
)
