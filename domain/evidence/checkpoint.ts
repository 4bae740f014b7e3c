// A checkpoint says how many events a ledger had and which Merkle root they give, in three lines that any tool of
// transparency logs reads (https://c2sp.org/tlog-checkpoint), signed as a note. Two checkpoints of one ledger with a
// consistency proof show that nothing was changed in between. Lines beyond the three are refused: no reader checks them.
import * as Result from "effect/Result"
import { base64Text, bytesOfBase64 } from "../canonical/bytes.ts"
import { Identifier } from "../canonical/text.ts"
import * as Schema from "effect/Schema"
import { NotACheckpoint } from "./checkpoint-errors.ts"
import { type Hash, HASH_BYTES } from "./merkle-tree.ts"
import { parseSignedNote, type SignedNote } from "./signed-note.ts"

const ORIGIN_PREFIX = "cassette/"

const DECIMAL = /^(?:0|[1-9][0-9]*)$/

/** The size of a log and the root over its first `size` events. */
interface TreeHead {
  readonly size: number
  readonly root: Hash
}

/** What a checkpoint's three lines say. */
export interface CheckpointBody extends TreeHead {
  /** `cassette/` and the ledger's id; for another log, its own name. */
  readonly origin: string
}

/** A checkpoint with its signatures, not yet believed. */
export interface Checkpoint extends CheckpointBody {
  readonly note: SignedNote
}

/** The origin line of a ledger's checkpoints. */
export const originOf = (ledgerId: string): string => `${ORIGIN_PREFIX}${ledgerId}`

const isIdentifier = Schema.is(Identifier)

/** The ledger whose origin this is, or undefined when it is the origin of something else. */
export const ledgerOfOrigin = (origin: string): string | undefined => {
  const ledgerId = origin.slice(ORIGIN_PREFIX.length)
  return origin.startsWith(ORIGIN_PREFIX) && isIdentifier(ledgerId) ? ledgerId : undefined
}

/** The three lines that are signed. */
export const formatCheckpointBody = ({ origin, root, size }: CheckpointBody): string =>
  `${origin}\n${size}\n${base64Text(root)}\n`

const refused = (reason: string) => Result.fail(new NotACheckpoint({ reason }))

/** The three lines as a value; every other text is refused. */
export const parseCheckpointBody = (text: string): Result.Result<CheckpointBody, NotACheckpoint> => {
  const [origin, digits, encoded, end, ...rest] = text.split("\n")
  if (origin === undefined || origin === "") return refused("the first line, the origin, is empty")
  if (digits === undefined || !DECIMAL.test(digits) || !Number.isSafeInteger(Number(digits))) {
    return refused("the second line is no size in decimal without leading zeros")
  }
  const root = bytesOfBase64(encoded ?? "")
  if (root?.length !== HASH_BYTES) return refused(`the third line is no base64 of ${HASH_BYTES} bytes`)
  if (end !== "" || rest.length > 0) return refused("the text has more or less than three lines")
  return Result.succeed({ origin, size: Number(digits), root })
}

/** A signed checkpoint from its text; only its form is judged. */
export const parseCheckpoint = (text: string): Result.Result<Checkpoint, NotACheckpoint> =>
  Result.flatMap(parseSignedNote(text), (note) =>
    Result.map(parseCheckpointBody(note.text), (body) => ({ ...body, note }))
  )
