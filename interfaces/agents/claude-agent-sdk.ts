// A store of sessions for the Claude Agent SDK: each transcript is a run, each batch of entries a message. A deletion is a message,
// too: what was there before it stays in the ledger. Nothing of the SDK is loaded: its types alone are needed.
import type { SessionKey, SessionStore, SessionStoreEntry } from "@anthropic-ai/claude-agent-sdk"
import * as Result from "effect/Result"
import { isJsonObject, type JsonObject } from "../../domain/canonical/json.ts"
import { parseStoredJson } from "../../domain/canonical/stored-json.ts"
import { invalidAt } from "../../domain/foundation/errors.ts"
import {
  appendToSession,
  operationsOf,
  runOfSession,
  type SessionLedger,
  type SessionPlace,
  sessionRuns
} from "./session-log.ts"

const HOST = "claude-agent-sdk"

/** How many events are looked at to find the newest of a session. */
const PAGE_EVENTS = 16

/** How many sessions are listed at once. */
const PAGE_RUNS = 256

const scopeOf = (projectKey: string): string => `${HOST}:${projectKey}`

const placeOf = ({ projectKey, sessionId, subpath }: SessionKey): SessionPlace => {
  if (subpath === "") {
    throw invalidAt("/subpath", "is empty: leave it out for the main transcript")
  }
  return {
    run_id: runOfSession(scopeOf(projectKey), sessionId),
    fields: {
      host: HOST,
      project: projectKey,
      session: sessionId,
      ...(subpath === undefined ? {} : { subpath })
    }
  }
}

/** Transcripts of a session as its operations leave them, by subpath; undefined is the main one. */
const transcriptsOf = async (ledger: SessionLedger, run_id: string) => {
  const transcripts = new Map<string | undefined, Map<unknown, SessionStoreEntry>>()
  for await (const { entries, fields, op } of operationsOf(ledger, run_id)) {
    const subpath = fields["subpath"] as string | undefined
    if (op === "append") {
      const transcript = transcripts.get(subpath) ?? new Map<unknown, SessionStoreEntry>()
      transcripts.set(subpath, transcript)
      // An entry that is told again has the same `uuid`; one without is itself its key.
      for (const entry of entries as ReadonlyArray<SessionStoreEntry>) {
        const key = entry.uuid ?? entry
        if (!transcript.has(key)) transcript.set(key, entry)
      }
    } else if (subpath === undefined) transcripts.clear()
    else transcripts.delete(subpath)
  }
  return transcripts
}

const postedPayload = (data: string): JsonObject => {
  const posted = Result.getOrUndefined(parseStoredJson(data))
  const payload = isJsonObject(posted) ? posted["payload"] : undefined
  return isJsonObject(payload) ? payload : {}
}

/** When the main transcript of a session was last written, and its id; undefined when there is none or it is deleted. */
const newestOf = async (ledger: SessionLedger, run_id: string) => {
  for (let before: number | undefined; ;) {
    const page = await ledger.eventsBefore({ run_id, limit: PAGE_EVENTS, before })
    for (const event of page) {
      if (event.type !== "MessagePosted") continue
      const { intent, session, subpath } = postedPayload(event.data)
      if (subpath !== undefined) continue
      return intent === "append"
        ? { sessionId: String(session), mtime: Date.parse(event.recorded_at) }
        : undefined
    }
    before = page.at(-1)?.position
    if (page.length < PAGE_EVENTS) return undefined
  }
}

/**
 * A store for the option `sessionStore`, over a ledger.
 *
 * @example
 * import { query } from "@anthropic-ai/claude-agent-sdk"
 * import { ledgerSessionStore } from "cortex-cassette/agents/claude-agent-sdk"
 * import { openLedger } from "cortex-cassette/promise"
 *
 * export const ask = async (prompt: string) => {
 *   const ledger = await openLedger({ filename: "work.db" })
 *   return query({ prompt, options: { sessionStore: ledgerSessionStore({ ledger }) } })
 * }
 */
export const ledgerSessionStore = ({
  ledger
}: {
  readonly ledger: SessionLedger
}): SessionStore & Required<Pick<SessionStore, "delete" | "listSessions" | "listSubkeys">> => ({
  append: async (key, entries) => {
    await appendToSession(ledger, placeOf(key), "append", entries)
  },
  load: async (key) => {
    const transcript = (await transcriptsOf(ledger, placeOf(key).run_id)).get(key.subpath)
    return transcript === undefined ? null : [...transcript.values()]
  },
  listSessions: async (projectKey) => {
    const sessions: Array<{ readonly sessionId: string; readonly mtime: number }> = []
    for (let after: string | undefined; ;) {
      const runs = await ledger.ids({
        kind: "run",
        prefix: sessionRuns(scopeOf(projectKey)),
        after,
        limit: PAGE_RUNS
      })
      for (const run of runs) {
        const session = await newestOf(ledger, run)
        if (session !== undefined) sessions.push(session)
      }
      after = runs.at(-1)
      if (runs.length < PAGE_RUNS) return sessions
    }
  },
  delete: async (key) => {
    const place = placeOf(key)
    if ((await ledger.runLength(place.run_id)) > 0) await appendToSession(ledger, place, "delete")
  },
  listSubkeys: async ({ projectKey, sessionId }) => {
    const transcripts = await transcriptsOf(ledger, runOfSession(scopeOf(projectKey), sessionId))
    return [...transcripts.keys()].filter((subpath) => subpath !== undefined)
  }
})
