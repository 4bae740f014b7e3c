// `cortex bundle pack` and `unpack`: a bundle as one file that is the same byte for byte wherever it is packed, and that
// any tar can list. What is unpacked is verified before it is put in its place.
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { packBundle, unpackBundle } from "../../../application/bundles/pack-bundle.ts"
import { bundleFilesLayer } from "../../embedding/bundle-files.ts"
import { absolutePath } from "../../shared/options.ts"
import { answer } from "../output.ts"
import { bundleArgument, bundleLines, judged } from "./verified-bundle.ts"

const note = (path: string, created: boolean): string =>
  created ? `made ${path}` : `${path} was there already, the same`

export const packCommand = Command.make(
  "pack",
  {
    folder: bundleArgument("dir"),
    file: Argument.String("file").pipe(Argument.withDescription("the file to make; nothing is written over"))
  },
  Effect.fnUntraced(function* (given) {
    const folder = yield* absolutePath("dir", given.folder)
    const packed = yield* judged(packBundle(folder, yield* absolutePath("file", given.file))).pipe(
      Effect.provide(bundleFilesLayer)
    )
    const { created, file, report } = packed
    yield* answer({ data: packed, lines: () => [note(file, created), ...bundleLines(report)] })
  })
).pipe(
  Command.withDescription(
    "Verify a bundle and pack it into one uncompressed tar file, the same bytes everywhere."
  ),
  Command.withShortDescription("pack a bundle into one file"),
  Command.withExamples([{ command: "cortex bundle pack out out.tar" }])
)

export const unpackCommand = Command.make(
  "unpack",
  {
    file: Argument.String("file").pipe(Argument.withDescription("a file that bundle pack made")),
    folder: Argument.String("dir").pipe(
      Argument.withDescription("the folder to make; nothing is written over")
    )
  },
  Effect.fnUntraced(function* (given) {
    const file = yield* absolutePath("file", given.file)
    const unpacked = yield* judged(unpackBundle(file, yield* absolutePath("dir", given.folder))).pipe(
      Effect.provide(bundleFilesLayer)
    )
    const { created, folder, report } = unpacked
    yield* answer({ data: unpacked, lines: () => [note(folder, created), ...bundleLines(report)] })
  })
).pipe(
  Command.withDescription(
    "Unpack a packed bundle into a new folder and verify it. A file that pack could not have made is refused: links, folders, other names, another order, anything behind the end."
  ),
  Command.withShortDescription("unpack and verify a packed bundle"),
  Command.withExamples([{ command: "cortex bundle unpack out.tar out" }])
)
