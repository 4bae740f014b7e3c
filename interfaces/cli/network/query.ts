// `cortex network query`: asks every cassette, or some of them, and prints one ranked list or one list for each.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { SEARCH_MODES } from "../../../domain/network/cassette.ts"
import { textFlag } from "../cassette/shared-flags.ts"
import { Host } from "../host.ts"
import { switchFlag } from "../options.ts"
import { answer, writeWarnings } from "../output.ts"
import { hitLines } from "./hit-lines.ts"
import { limitFlag } from "./lookup-flags.ts"
import { warnOfAnswers, withNetwork } from "./open-network.ts"

export const queryCommand = Command.make(
  "query",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription('what to look for; words in double quotes ("…") must stand as they are')
    ),
    limit: limitFlag,
    cassettes: textFlag(
      "cassette",
      "ID",
      "ask this cassette; may be given several times (default: all)"
    ).pipe(Flag.atLeast(0)),
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
    strict: switchFlag("strict", "any cassette that does not answer is an error")
  },
  Effect.fnUntraced(function* ({ byCassette, capability, cassettes, limit, mode, strict, text }) {
    const host = yield* Host
    const options = {
      cassettes: cassettes.length === 0 ? undefined : cassettes,
      capability: Option.getOrUndefined(capability),
      mode: Option.getOrUndefined(mode),
      strict
    }
    if (byCassette) {
      const found = yield* withNetwork((network) => network.queryAll(text, limit, options))
      yield* warnOfAnswers(found.answers)
      yield* writeWarnings(found.notices)
      return yield* answer({
        data: found,
        lines: () =>
          Object.entries(found.results).flatMap(([id, hits]) => {
            const answers = Object.fromEntries(Object.entries(found.answers).filter(([each]) => each === id))
            return [`== ${id}`].concat(hitLines(host, text, hits, answers))
          })
      })
    }
    const found = yield* withNetwork((network) => network.query(text, limit, options))
    yield* warnOfAnswers(found.answers)
    yield* writeWarnings(found.notices)
    yield* answer({ data: found, lines: () => hitLines(host, text, found.hits, found.answers) })
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
