// One object of the history with everything that belongs to it. What was posted and what was answered is read from the events, which
// stand under the chain; the tables say how things stand now.
import * as Effect from "effect/Effect"
import { jsonBody, textBody } from "../../domain/history/bodies.ts"
import { IdNotFound } from "../../domain/history/errors.ts"
import type { ShownEvent, ShownThought } from "../../domain/history/shown.ts"
import { Timeline } from "../../domain/history/timeline.ts"
import type { Found } from "./found-ids.ts"
import { eventAt, placeOf, type ShowWith } from "./show-with.ts"
import { showJob, showMessage } from "./shown-messages.ts"
import { showRun } from "./shown-runs.ts"
import { showReceipt, showStep } from "./shown-steps.ts"

const showEvent = Effect.fnUntraced(function* (show: ShowWith, position: number) {
  const envelope = yield* eventAt(show, position)
  const { data, prev_hash, schema_version } = envelope
  return {
    kind: "event",
    ...new Timeline().entry(envelope),
    schema_version,
    prev_hash,
    data: jsonBody(show.sha256, data, show.isFull)
  } satisfies ShownEvent
})

const showThought = Effect.fnUntraced(function* (show: ShowWith, id: string) {
  const row = yield* show.thoughts.thoughtRow(id)
  if (row === null) return yield* new IdNotFound({ id })
  const { agent_id, content, event_position, hash, prev_hash, task_id, timestamp, type } = row
  const recorded = placeOf(yield* eventAt(show, event_position, id))
  return {
    kind: "thought",
    id,
    type,
    task_id,
    agent_id,
    timestamp,
    recorded,
    prev_hash,
    hash,
    content: textBody(show.sha256, content, show.isFull)
  } satisfies ShownThought
})

/** What was found, with everything that belongs to it. */
export const showFound = Effect.fnUntraced(function* (show: ShowWith, found: Found) {
  switch (found.kind) {
    case "event":
      return yield* showEvent(show, found.position)
    case "message":
      return yield* showMessage(show, found.id)
    case "job":
      return yield* showJob(show, found.id)
    case "step":
      return yield* showStep(show, found.id)
    case "receipt":
      return yield* showReceipt(show, found.id)
    case "thought":
      return yield* showThought(show, found.id)
    case "run":
      return yield* showRun(show, found.id)
  }
})
