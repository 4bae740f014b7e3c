// What the hooks of a coding agent write: a call is posted and claimed when it begins and completed when it has ended, a stop is posted,
// claimed and completed at once. What was told before is told again without effect. Everything is decided by the ledger's own
// deciders, under the lock and in one transaction; no event is made here.
import * as Result from "effect/Result"
import {
  type CallEnding,
  callKey,
  type CallOptions,
  callWorker,
  completionOfCall,
  type OnError,
  postOfCall,
  sessionRun
} from "../../domain/agents/call.ts"
import { type HookedCall, type HookEvent, type Stop, unnamedCallId } from "../../domain/agents/hook-event.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "../../domain/canonical/json.ts"
import type { Sha256 } from "../../domain/canonical/sha256.ts"
import { parseCanonicalJson } from "../../domain/canonical/stored-json.ts"
import { boundedKey } from "../../domain/foundation/bounded-names.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import { PostMessage, prepareCompletion, preparePost } from "../../domain/ledger/commands.ts"
import {
  decideClaim,
  type Decided,
  decidePost,
  type ExistingMessage,
  type StepStanding
} from "../../domain/ledger/decide.ts"
import { decideCompletion, decideRequeue } from "../../domain/ledger/decide-lease.ts"
import type { Refusal } from "../../domain/ledger/errors.ts"
import { jobIdOf, jobIdOfStep, stepIdOf } from "../../domain/ledger/ids.ts"
import { decodeInput } from "../foundation/input.ts"
import type { UnitOfWork } from "../ledger/commands/command-group.ts"
import type { LedgerTransaction } from "../ledger/commands/ledger-store.ts"

/** How calls are recorded: whether bodies are kept, how long a lease runs, and what happens when recording fails. */
export interface HookRule extends CallOptions {
  readonly on_error: OnError
}

type Works = ReadonlyArray<UnitOfWork<unknown>>

/** A message whose step is claimed with it. */
type Claiming = PostMessage & { readonly claim: { readonly worker_id: string; readonly ttl_seconds: number } }

const decode = decodeInput(PostMessage, preparePost)

/** Why a call's lease is over before the call is. */
const OVERDUE = "the call took longer than its lease"
const HELD_BY_ANOTHER = "the call has ended, and this worker did not make it"

const nothing = Result.succeed({ events: [], reply: undefined })

const firstStepOf = (messageId: string): string => stepIdOf(jobIdOf(messageId, 1), 1)

/** What the works before have posted or found; nothing where that was refused. */
interface Found {
  stepId: string | undefined
  /** The message that was there before. */
  existing: ExistingMessage | undefined
}

const existingOf = (transaction: LedgerTransaction, { idempotency_key, run_id }: PostMessage) =>
  idempotency_key == null ? undefined : transaction.messageByKey(run_id, idempotency_key)

/** Posts a message and claims its step. `again` says what of a message that is there already: it must be the same, or any counts. */
const posting =
  (
    messageOf: (transaction: LedgerTransaction) => PostMessage,
    found: Found,
    again: "same" | "any"
  ): UnitOfWork<unknown> =>
  (transaction, moment) => {
    const message = messageOf(transaction)
    const existing = existingOf(transaction, message)
    const stepId = existing && firstStepOf(existing.message_id)
    found.existing = existing
    found.stepId = stepId
    if (existing !== undefined && again === "any") return nothing
    const step = stepId === undefined ? undefined : transaction.step(stepId)
    // The message was decoded before the lock; its key alone is found under it.
    const prepared = Result.getOrThrow(decode(message))
    const decided = decidePost(prepared, existing, step, moment)
    if (Result.isSuccess(decided)) found.stepId = firstStepOf(decided.success.reply.message_id)
    return decided
  }

/** A work on the step that was found; none where nothing was. */
const onStep =
  (
    found: Found,
    work: (step: StepStanding, ...under: Parameters<UnitOfWork<unknown>>) => Decided<unknown, Refusal>
  ): UnitOfWork<unknown> =>
  (transaction, moment) => {
    const step = found.stepId === undefined ? undefined : transaction.step(found.stepId)
    return step === undefined ? nothing : work(step, transaction, moment)
  }

/** Who began a call. What the ledger holds counts: a host may name its agent at one end of a call alone. */
const beganBy = (sha256: Sha256, { existing }: Found, { claim }: Claiming): string => {
  const began = existing && parseCanonicalJson(existing.payload_json)
  if (!isJsonObject(began)) return claim.worker_id
  const { agent, host, session } = began
  return callWorker(sha256, {
    host: String(host),
    session: String(session),
    ...(typeof agent === "string" ? { agent } : {})
  })
}

/**
 * Lets a step wait again whose lease has ended: its call has come to an end all the same. So it does when a worker that did not make
 * the call has claimed the step, so that no receipt says that this worker did.
 */
const takingBack = (sha256: Sha256, found: Found, message: Claiming): UnitOfWork<unknown> =>
  onStep(found, (step, _, moment) => {
    const { lease_expires_at, lease_owner, run_id, status, step_id } = step
    if (status !== "LEASED" || lease_owner === null || lease_expires_at === null) return nothing
    const caller = beganBy(sha256, found, message)
    const force = lease_owner !== caller
    if (!force && moment.recorded_at < lease_expires_at) return nothing
    const reason = force ? HELD_BY_ANOTHER : OVERDUE
    const command = { run_id, step_id, reason, requested_by: caller, lease: undefined, force }
    return decideRequeue(command, step, undefined, moment)
  })

/** Claims a step that waits. */
const claiming = (found: Found, { worker_id, ttl_seconds }: Claiming["claim"]): UnitOfWork<unknown> =>
  onStep(found, ({ run_id, status, step_id }, transaction, moment) => {
    if (status !== "PENDING") return nothing
    const place = { run_id, job_id: jobIdOfStep(step_id) }
    const command = { place, worker_id, ttl_seconds, traceparent: undefined }
    return decideClaim(command, transaction.nextPendingStep(place), moment)
  })

const inputHash = (payload: JsonValue | undefined): JsonValue | undefined => {
  const input = isJsonObject(payload) ? payload["input"] : undefined
  return isJsonObject(input) ? input["sha256"] : undefined
}

/** The input that a call ended with, where that is another than it began with: hosts let hooks change it in between. */
const changedInput = ({ existing }: Found, { payload }: PostMessage): JsonObject => {
  if (existing === undefined) return {}
  const began = inputHash(parseCanonicalJson(existing.payload_json))
  const ended = payload["input"]
  return ended === undefined || inputHash(payload) === began ? {} : { input: ended }
}

/** Completes a step under its lease; one that was completed in the same way stays as it is. */
const completing = (
  sha256: Sha256,
  found: Found,
  message: Claiming,
  ending: CallEnding,
  rule: HookRule
): UnitOfWork<unknown> =>
  onStep(found, (step, transaction, moment) => {
    const { fencing_token, lease_owner, run_id, step_id } = step
    const lease = { run_id, step_id, worker_id: lease_owner ?? message.claim.worker_id, fencing_token }
    const { receipt_payload, ...completion } = completionOfCall(sha256, lease, ending, rule)
    const told = { ...receipt_payload, ...changedInput(found, message) }
    const command = Result.getOrThrow(prepareCompletion({ ...completion, receipt_payload: told }))
    const receipt = step.status === "COMMITTED" ? transaction.receiptOfStep(step_id) : undefined
    return receipt?.receipt_json === command.receipt && receipt.outcome === command.outcome
      ? nothing
      : decideCompletion(command, step, receipt, moment)
  })

/** How many calls in the same words a session has begun. */
const callsOf = (sha256: Sha256, call: HookedCall, transaction: LedgerTransaction): number => {
  const run = sessionRun(sha256, call)
  const isThere = (nth: number) =>
    transaction.messageByKey(run, callKey(sha256, unnamedCallId(sha256, call, nth))) !== undefined
  let there = 0
  let beyond = 1
  while (isThere(beyond)) {
    there = beyond
    beyond *= 2
  }
  while (beyond - there > 1) {
    const middle = Math.floor((there + beyond) / 2)
    if (isThere(middle)) there = middle
    else beyond = middle
  }
  return there
}

/** How far back an end without an id looks for the call that it ends. */
const MAX_OPEN_IN_SAME_WORDS = 64

/** The newest call in the same words that has not ended; a new one where all have. */
const openCall = (sha256: Sha256, call: HookedCall, transaction: LedgerTransaction): number => {
  const run = sessionRun(sha256, call)
  const newest = callsOf(sha256, call, transaction)
  for (let nth = newest; nth > Math.max(0, newest - MAX_OPEN_IN_SAME_WORDS); nth--) {
    const key = callKey(sha256, unnamedCallId(sha256, call, nth))
    const message = transaction.messageByKey(run, key)
    const step = message && transaction.step(firstStepOf(message.message_id))
    if (step !== undefined && step.status !== "COMMITTED") return nth
  }
  return newest + 1
}

const stopMessage = (sha256: Sha256, stop: Stop, ttl_seconds: number): Claiming => {
  const { agent, details, event, host, session, turn } = stop
  const names = { ...(agent === undefined ? {} : { agent }), ...(turn === undefined ? {} : { turn }) }
  return {
    run_id: sessionRun(sha256, stop),
    source: "SYSTEM",
    // A stop without an id is told once by its host, and recorded as often as it is told.
    idempotency_key: turn === undefined ? null : boundedKey(sha256, `stop/${event}/${agent ?? ""}/${turn}`),
    payload: { intent: "stop", op: event, host, session, ...names, ...details },
    claim: { worker_id: callWorker(sha256, stop), ttl_seconds }
  }
}

const stopWorks = (sha256: Sha256, message: Claiming, rule: HookRule): Works => {
  const found: Found = { stepId: undefined, existing: undefined }
  return [
    posting(() => message, found, "same"),
    completing(sha256, found, message, { outcome: "SUCCESS" }, rule)
  ]
}

const callWorks = (sha256: Sha256, event: Exclude<HookEvent, { hook: "stop" }>, rule: HookRule): Works => {
  const { call } = event
  const found: Found = { stepId: undefined, existing: undefined }
  const message = (id: string) => postOfCall(sha256, { ...call, call: id }, rule)
  const { call: id } = call
  const numbered = (transaction: LedgerTransaction): number =>
    event.hook === "pre" ? callsOf(sha256, call, transaction) + 1 : openCall(sha256, call, transaction)
  const known = message(id ?? "")
  const messageOf = (transaction: LedgerTransaction) =>
    id === undefined ? message(unnamedCallId(sha256, call, numbered(transaction))) : known
  if (event.hook === "pre") return [posting(messageOf, found, "same")]
  return [
    posting(messageOf, found, "any"),
    takingBack(sha256, found, known),
    claiming(found, known.claim),
    completing(sha256, found, known, event.ending, rule)
  ]
}

/** What is to be done under the lock for what a hook was told, in order; or why no ledger takes it. */
export const hookWorks = (
  sha256: Sha256,
  event: HookEvent,
  rule: HookRule
): Result.Result<Works, InvalidInput> => {
  if (event.hook === "stop") {
    const message = stopMessage(sha256, event.stop, rule.ttl_seconds)
    return Result.map(decode(message), () => stopWorks(sha256, message, rule))
  }
  const { call } = event
  const sample = postOfCall(sha256, { ...call, call: call.call ?? unnamedCallId(sha256, call, 1) }, rule)
  return Result.map(decode(sample), () => callWorks(sha256, event, rule))
}
