// `cortex network export`: a cassette's content as a cartridge, for another machine, another program, or the shelf.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { absolutePath, switchFlag } from "../../shared/options.ts"
import { withProgress } from "../progress.ts"
import { answer } from "../output.ts"
import { cartridgeLines } from "./cartridge-lines.ts"
import { agentOption } from "./network-flags.ts"
import { withKeeping } from "./open-network.ts"

export const exportCommand = Command.make(
  "export",
  {
    cassette: Argument.String("cassette").pipe(Argument.withDescription("the id of the cassette")),
    out: Flag.String("out").pipe(
      Flag.withMetavar("PATH"),
      Flag.withDescription("the folder or file to make; nothing is written over")
    ),
    tar: switchFlag("tar", "pack it into one uncompressed tar file")
  },
  Effect.fnUntraced(function* ({ cassette: id, out, tar }) {
    const target = yield* absolutePath("--out", out)
    const { agent } = yield* agentOption
    const { created, manifest } = yield* withKeeping((keeping) =>
      keeping.exportCartridge({ cassette: id, target, form: tar ? "tar" : "folder", agent })
    ).pipe(withProgress("exporting"))
    yield* answer({
      data: { path: target, created, manifest },
      lines: () => [
        created ? `made ${target}` : `${target} was there already, the same`,
        ...cartridgeLines(manifest)
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Write a cassette as a cartridge: manifest.json, receipts.jsonl and records.jsonl, canonical text with a hash for every line and Merkle roots over all. It is of one moment, also while others write, and the same bytes for the same content. Indexes and vectors are not part of it: an import makes them again. Where each agent has its own memories, only those of --agent go along."
  ),
  Command.withShortDescription("write a cassette as a portable cartridge"),
  Command.withExamples([
    { command: "cortex network export governance --out governance-cartridge" },
    { command: "cortex network export governance --out governance.tar --tar" }
  ])
)
