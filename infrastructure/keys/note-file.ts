// Reads a signed checkpoint from a file: bounded, and strict UTF-8. What its text says is for its own reader to judge.
import * as Effect from "effect/Effect"
import { textOfUtf8 } from "../../domain/canonical/bytes.ts"
import { NotACheckpoint } from "../../domain/evidence/checkpoint-errors.ts"
import { readWholeFile } from "../files/foreign-files.ts"

/** Most bytes that are read; no note is longer. */
const MAX_NOTE_BYTES = 2 * 1_048_576

/** The text of the note in the file at an absolute path. */
export const loadNote = (file: string): Effect.Effect<string, NotACheckpoint> =>
  readWholeFile(file, MAX_NOTE_BYTES).pipe(
    Effect.mapError(({ message }) => new NotACheckpoint({ reason: `${file}: ${message}` })),
    Effect.flatMap((bytes) =>
      Effect.try({
        try: () => textOfUtf8(bytes),
        catch: () => new NotACheckpoint({ reason: `${file} is not UTF-8` })
      })
    )
  )
