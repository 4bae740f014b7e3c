// A session of a host as messages of one run: what is added, taken away or deleted is a message whose step is completed at once.
// Entries are kept as the JSON text that JSON.stringify makes of them, since a transcript may hold U+0000 and halves of surrogate
// pairs, which no payload may. A text that is too long is cut over several messages of one transaction.
import { randomUUID } from "node:crypto"
import * as Result from "effect/Result"
import { SessionUnreadable } from "../../domain/agents/errors.ts"
import { isJsonObject, type JsonObject } from "../../domain/canonical/json.ts"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import { utf8ByteLength } from "../../domain/canonical/text.ts"
import { namePart } from "../../domain/foundation/bounded-names.ts"
import { invalidAt } from "../../domain/foundation/errors.ts"
import { MAX_BATCH_COMMANDS } from "../../domain/ledger/limits.ts"
import { sha256 } from "../../infrastructure/hashing/sha256.ts"
import type { PromiseLedger } from "../promise/index.ts"

export type SessionLedger = Pick<
  PromiseLedger,
  "commands" | "eventsBefore" | "ids" | "messages" | "runLength"
>

/** Longest piece of a text in one message (UTF-16 units): at most three bytes of canonical text each, below a mebibyte. */
const PIECE_UNITS = 300_000

/** How many messages are read at once: each may have a mebibyte. */
const PAGE_MESSAGES = 32

/** The run of a session, and what its messages say of it. */
export interface SessionPlace {
  readonly run_id: string
  readonly fields: JsonObject & { readonly host: string; readonly session: string }
}

/** The beginning of the runs of all sessions of a scope: a host, or one of its projects. */
export const sessionRuns = (scope: string): string => `session/${namePart(sha256, scope)}/`

export const runOfSession = (scope: string, session: string): string =>
  `${sessionRuns(scope)}${namePart(sha256, session)}`

export interface SessionOperation {
  readonly op: string
  /** The last message of the operation. */
  readonly message_id: string
  readonly batch: string
  readonly fields: JsonObject
  readonly entries: ReadonlyArray<object>
}

const textOf = (entries: ReadonlyArray<unknown>): string => {
  const stray = entries.findIndex(
    (entry) => typeof entry !== "object" || entry === null || Array.isArray(entry)
  )
  if (stray !== -1) throw invalidAt(`/entries/${stray}`, "an entry is a JSON object")
  try {
    return JSON.stringify(entries)
  } catch (error) {
    throw invalidAt(
      "/entries",
      `no JSON can be made of them: ${error instanceof Error ? error.message : String(error)}`
    )
  }
}

const piecesOf = (text: string): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let start = 0; start < text.length;) {
    const wanted = text.slice(start, start + PIECE_UNITS)
    // A pair of surrogates is not parted.
    const piece = wanted.isWellFormed() ? wanted : wanted.slice(0, -1)
    pieces.push(piece)
    start += piece.length
  }
  if (pieces.length > MAX_BATCH_COMMANDS) {
    throw invalidAt(
      "/entries",
      `at most ${MAX_BATCH_COMMANDS * PIECE_UNITS} characters of JSON at once: append fewer entries`
    )
  }
  return pieces
}

/** Carries out the commands of one transaction; the first that is refused is thrown. */
const all = async <Reply>(
  results: Promise<ReadonlyArray<Result.Result<Reply, unknown>>>
): Promise<ReadonlyArray<Reply>> =>
  (await results).map((result) => {
    if (Result.isFailure(result)) throw result.failure
    return result.success
  })

/** Appends an operation in one transaction, completes its steps in the next, and answers the id of its last message. */
export const appendToSession = async (
  ledger: SessionLedger,
  { fields, run_id }: SessionPlace,
  op: string,
  entries: ReadonlyArray<unknown> = [],
  batch: string = randomUUID()
): Promise<string> => {
  const text = textOf(entries)
  const pieces = piecesOf(text)
  const worker_id = `session/${fields.host}`
  const posted = await all(
    ledger.commands(
      pieces.map((json, index) => ({
        _tag: "PostMessage" as const,
        run_id,
        source: "SYSTEM" as const,
        payload: { intent: op, ...fields, batch, part: index + 1, parts: pieces.length, json },
        claim: { worker_id }
      }))
    )
  )
  const receipt_payload = { entries: entries.length, sha256: sha256(text), bytes: utf8ByteLength(text) }
  await all(
    ledger.commands(
      posted.flatMap(({ lease }) =>
        lease === null
          ? []
          : [{ _tag: "CompleteStep" as const, ...lease, receipt_payload, outcome: "SUCCESS" as const }]
      )
    )
  )
  return posted.at(-1)!.message_id
}

/** The entries of a text as it was written; V8's reader is held against its own writer, since it can misread a key with an escape. */
const entriesOf = (text: string, message_id: string): ReadonlyArray<object> => {
  const entries: unknown = JSON.parse(text)
  if (!Array.isArray(entries) || JSON.stringify(entries) !== text) throw new SessionUnreadable({ message_id })
  return entries
}

const payloadOf = (text: string, message_id: string): JsonObject => {
  const payload = Result.getOrUndefined(parseStoredJson(text))
  if (!isJsonObject(payload)) throw new SessionUnreadable({ message_id })
  return payload
}

/** The operations of a session in their order, behind the message `after`. */
export async function* operationsOf(
  ledger: SessionLedger,
  run_id: string,
  after?: string | undefined
): AsyncGenerator<SessionOperation> {
  let text = ""
  let last = after
  for (;;) {
    const page = await ledger.messages(run_id, { limit: PAGE_MESSAGES, after: last })
    for (const { message_id, payload_json } of page) {
      const { batch, intent, json, part, parts, ...fields } = payloadOf(payload_json, message_id)
      text += String(json)
      if (part === parts) {
        const entries = entriesOf(text, message_id)
        yield { op: String(intent), message_id, batch: String(batch), fields, entries }
        text = ""
      }
    }
    if (page.length < PAGE_MESSAGES) return
    last = page.at(-1)!.message_id
  }
}
