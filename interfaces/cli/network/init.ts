// `cortex network init`: writes a configuration with which `network index` and `network query` work at once. It never
// writes over one that is there.
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { ConfigurationExists } from "../../../domain/network/errors.ts"
import { fileFailure, makeFolders } from "../../embedding/files.ts"
import { rootOf } from "../../embedding/network-files.ts"
import { withPlace } from "../advice.ts"
import { Host } from "../../shared/host.ts"
import { answer } from "../output.ts"
import { networkFileOptions } from "./network-flags.ts"
import { networkTemplate } from "./network-template.ts"
import { makeFile } from "../new-file.ts"

const write = (file: string, text: string) =>
  Effect.try({
    try: () => {
      makeFolders(dirname(file))
      makeFile(file, text)
    },
    catch: (error) =>
      (error as NodeJS.ErrnoException).code === "EEXIST"
        ? new ConfigurationExists({ file })
        : fileFailure("--config", file, error)
  })

export const initCommand = Command.make(
  "init",
  {},
  Effect.fnUntraced(function* () {
    const { file } = yield* networkFileOptions
    yield* write(file, networkTemplate(rootOf(file)))
    const host = yield* Host
    yield* answer({
      data: { file },
      lines: () => [`wrote ${file}`, withPlace(host, "next: cortex network index")]
    })
  })
).pipe(
  Command.withDescription(
    "Write CORTEX/network.yaml: one cassette with all texts below the root, two for memories, and those of the standard network whose folders exist."
  ),
  Command.withShortDescription("write a configuration to start with"),
  Command.withExamples([{ command: "cortex network init" }])
)
