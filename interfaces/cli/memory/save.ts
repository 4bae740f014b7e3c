// `cortex memory save`: a text for later, with who saves it and what else is worth knowing about it. It is on the
// disk when the command ends, and its hash names it from then on.
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { isJsonObject } from "../../../domain/canonical/json.ts"
import { readJson } from "../../../domain/canonical/strict-reader.ts"
import { MAX_MEMORY_BYTES } from "../../../domain/network/limits.ts"
import { textFlag } from "../../shared/flags.ts"
import { withNetwork } from "../network/open-network.ts"
import { refusedFlag } from "../../shared/options.ts"
import { answer, writeWarnings } from "../output.ts"
import { fieldLines } from "../../shared/terminal-text.ts"
import { givenText, readText } from "../text-file.ts"

const bound = {
  limit: MAX_MEMORY_BYTES,
  tooLarge: `the file is over ${MAX_MEMORY_BYTES} bytes: keep large texts as documents, and remember where they are`
}

const textOf = (text: Option.Option<string>, file: Option.Option<string>) => {
  if (Option.isSome(text) && Option.isNone(file)) {
    return givenText("text", text.value, bound)
  }
  return Option.isSome(file) && Option.isNone(text)
    ? readText("--file", file.value, bound)
    : Effect.fail(refusedFlag("text", "give the text as an argument or with --file, and not with both"))
}

const metadataOf = Effect.fnUntraced(function* (text: string) {
  const value = yield* Effect.mapError(Effect.fromResult(readJson(text, "jcs/1")), ({ message }) =>
    refusedFlag("--metadata", message)
  )
  return isJsonObject(value) ? value : yield* Effect.fail(refusedFlag("--metadata", "give a JSON object"))
})

export const saveCommand = Command.make(
  "save",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription("what is to be remembered, kept as it stands; - is standard input"),
      Argument.optional
    ),
    cassette: textFlag("cassette", "ID", "where it is remembered: a local cassette of the network"),
    file: textFlag("file", "FILE", "a file with the text; - is standard input").pipe(Flag.optional),
    metadata: textFlag("metadata", "JSON", "a JSON object that is kept with this save (default: {})").pipe(
      Flag.withDefault("{}")
    )
  },
  Effect.fnUntraced(function* ({ cassette, file, metadata, text }) {
    const given = yield* textOf(text, file)
    const about = yield* metadataOf(metadata)
    const saved = yield* withNetwork((network) => network.memorySave(given, cassette, about))
    yield* writeWarnings(saved.notices)
    yield* answer({
      data: saved,
      lines: () =>
        fieldLines([
          ["hash", saved.hash],
          ["symbol", saved.symbol],
          ["cassette", saved.cassette_id],
          ["saved", saved.is_new ? "for the first time" : `${saved.save_count} times`]
        ])
    })
  })
).pipe(
  Command.withDescription(
    "Remember a text in a cassette. The same text is kept once and saved as often as you like; each save keeps who, when and its metadata. Where each agent has its own memories, say who you are with --agent or CORTEX_AGENT."
  ),
  Command.withShortDescription("remember a text"),
  Command.withExamples([
    { command: 'cortex memory save "The tests need Node 24" --cassette memory' },
    {
      command: 'cortex memory save --cassette resident --agent a1 --metadata \'{"task":"t1"}\' - < note.md',
      description: "from standard input, for one agent alone"
    }
  ])
)
