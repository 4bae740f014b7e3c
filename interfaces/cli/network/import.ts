// `cortex network import`: a cartridge becomes the cassette of its id in the configuration, whole or not at all.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { withProgress } from "../progress.ts"
import { answer } from "../output.ts"
import { cartridgeLines } from "./cartridge-lines.ts"
import { withKeeping } from "./open-network.ts"

const checkOnly = Effect.fnUntraced(function* (path: string) {
  const manifest = yield* withKeeping((keeping) => keeping.checkCartridge(path))
  yield* answer({ data: { manifest }, lines: () => [`${path} is whole`, ...cartridgeLines(manifest)] })
})

const importHere = Effect.fnUntraced(function* (path: string) {
  const { chunks, embedded, file, manifest } = yield* withKeeping((keeping) => keeping.importCartridge(path))
  yield* answer({
    data: { cassette_id: manifest.cassette_id, file, chunks, embedded, manifest },
    lines: () => [`made ${file}: ${chunks} chunks`, ...cartridgeLines(manifest)]
  })
})

export const importCommand = Command.make(
  "import",
  {
    cartridge: Argument.String("cartridge").pipe(
      Argument.withDescription("a folder or tar file that network export made")
    ),
    check: switchFlag("check", "judge the cartridge only: nothing is made, and no configuration is needed")
  },
  Effect.fnUntraced(function* ({ cartridge, check }) {
    const path = yield* absolutePath("cartridge", cartridge)
    yield* (check ? checkOnly(path) : importHere(path)).pipe(withProgress(check ? "checking" : "importing"))
  })
).pipe(
  Command.withDescription(
    "Make the cassette of a cartridge, where the configuration has its id and no file stands yet. Every record is hashed again, the chain of receipts, both roots and the counts are checked, and only then the cassette is put in its place; it keeps its mutability, versions, times and seal. Each fault is named with its file and line."
  ),
  Command.withShortDescription("make the cassette of a cartridge"),
  Command.withExamples([
    { command: "cortex network import governance-cartridge" },
    { command: "cortex network import --check governance.tar" }
  ])
)
