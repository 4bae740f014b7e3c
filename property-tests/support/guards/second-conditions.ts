// Conditions without which nothing gets in, because something else refuses as well or because they only save time. Each
// is listed with the reason and with what proves it, and the proof is tried: a condition that guards nothing, and has
// no such place, is a fault of the schema or of the attacks, and never an entry here.

import type { Mutant } from "./mutants.ts"

/** The mutants that are meant, and what is proved of them. */
export interface SecondCondition {
  readonly because: string
  readonly trigger: string
  /** How the refusal begins; when left out, a mutant of any refusal, of the WHEN or of the whole trigger is meant. */
  readonly refusal?: string
  /** What was changed; when left out, any change is meant. */
  readonly from?: string
  readonly to?: string
  readonly proof: Proof
}

/**
 * `answers`: what the condition answered is answered by these others, each by its first words, and by nothing else.
 * `pair`: with this second edit, which is not noticed by the same attack alone, an attack gets in or an honest write
 * goes wrong. `holds`: this SQL expression, which says why the condition changes nothing, is true in the file.
 */
export type Proof =
  | { readonly answers: ReadonlyArray<string> }
  | { readonly pair: { readonly trigger: string; readonly from: string; readonly to: string } }
  | { readonly holds: string }

/** Whether an entry means a mutant. */
export const means = ({ from, refusal, to, trigger }: SecondCondition, mutant: Mutant): boolean =>
  trigger === mutant.trigger &&
  (refusal === undefined || mutant.refusal?.startsWith(refusal) === true) &&
  (from === undefined || from === mutant.from) &&
  (to === undefined || to === mutant.to)

const onlyChanges = "A step changes only by "
const committedIsFinal = [
  "Illegal transition COMMITTED -> LEASED",
  "Illegal transition COMMITTED -> PENDING"
] as const
const leasedTwice = "Illegal transition LEASED -> LEASED"

// Texts of up to eight pieces: none has the escape once escaped backslashes are taken out, and not before.
const nulIsSeenEitherWay = String.raw`NOT EXISTS (
  WITH RECURSIVE texts(text, pieces) AS (
    SELECT '', 0 UNION ALL
    SELECT text || column1, pieces + 1 FROM texts, (VALUES ('\'), ('u0000'), ('a')) WHERE pieces < 8
  )
  SELECT 1 FROM texts WHERE instr(replace(text, '\\', ''), '\u0000') > 0 AND instr(text, '\u0000') = 0)`

const selectsNoRareEvent = (type: string) =>
  `NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE tbl_name = 'pending_rare_event' AND sql LIKE '%WHEN OLD."type" IS ''${type}''%')`

const cheapLookForNul = [
  "tr_pending_event_message_posted",
  "tr_pending_event_step_claimed",
  "tr_pending_event_step_completed",
  "tr_pending_rare_event_lease_renewed",
  "tr_pending_rare_event_ledger_created",
  "tr_pending_rare_event_message_posted",
  "tr_pending_rare_event_step_requeued",
  "tr_pending_rare_event_thought_recorded"
].map((trigger): SecondCondition => ({
  because: "it only spares the dearer look at a copy without escaped backslashes",
  trigger,
  from: String.raw`instr(OLD."data", '\u0000') > 0`,
  to: "TRUE",
  proof: { holds: nulIsSeenEitherWay }
}))

const shortMessageId = ["tr_pending_event_message_posted", "tr_pending_rare_event_message_posted"].map(
  (trigger): SecondCondition => ({
    because: "a shorter id has its closing quote among its digits",
    trigger,
    from: `length((OLD."data" -> '$.message_id')) IS NOT 36`,
    to: `length((OLD."data" -> '$.message_id')) > 36`,
    proof: {
      pair: {
        trigger,
        from: `substr((OLD."data" -> '$.message_id'), 20, 16) GLOB '*[^0-9a-f]*'`,
        to: "FALSE"
      }
    }
  })
)

const trace = `(OLD."data" ->> '$.traceparent')`
const lengthOfTrace = `length(${trace}) = 55`
const digitsOfTrace = `length(replace(${trace}, '-', '')) = 52`

// Three dashes and 52 other characters are 55, and 55 with three dashes at least have 52 others at most.
const lengthsOfTrace = [
  "tr_pending_event_message_posted",
  "tr_pending_event_step_claimed",
  "tr_pending_event_step_completed",
  "tr_pending_rare_event_message_posted"
].flatMap((trigger): ReadonlyArray<SecondCondition> => [
  {
    because: "what is shorter and has its dashes has too few digits",
    trigger,
    from: lengthOfTrace,
    to: lengthOfTrace.replace("=", "<="),
    proof: { pair: { trigger, from: digitsOfTrace, to: "TRUE" } }
  },
  {
    because: "what has more digits in its 55 characters has too few dashes",
    trigger,
    from: digitsOfTrace,
    to: digitsOfTrace.replace("=", ">="),
    proof: { pair: { trigger, from: `${trace} GLOB '??-*-????????????????-??'`, to: "TRUE" } }
  }
])

const onMessages: ReadonlyArray<SecondCondition> = [
  ...shortMessageId,
  {
    because: "a step of a job numbered 0 has no such job",
    trigger: "tr_pending_rare_event_message_posted",
    from: `min("job") IS 1`,
    proof: { answers: ["FOREIGN KEY: a step needs a job of its own event and run"] }
  }
]

const onDispatch: ReadonlyArray<SecondCondition> = [
  ...["StepClaimed", "StepCompleted"].map((type) => ({
    because: "it only spares a look among the rare events, none of which is of this type",
    trigger: "tr_pending_event_rare",
    from: `OLD."type" IS NOT '${type}'`,
    proof: { holds: selectsNoRareEvent(type) }
  })),
  {
    because: "of the rare events MessagePosted is the one with jobs, and its own trigger says so too",
    trigger: "tr_pending_event_rare",
    from: `(OLD."type" IS NOT 'MessagePosted' OR json_type(OLD."data", '$.jobs') IS NOT NULL)`,
    proof: {
      pair: {
        trigger: "tr_pending_rare_event_message_posted",
        from: `json_type(OLD."data", '$.jobs') IS NOT NULL`,
        to: "TRUE"
      }
    }
  },
  {
    because: "what sends events on to the rare ones sends on no MessagePosted without jobs",
    trigger: "tr_pending_rare_event_message_posted",
    from: `json_type(OLD."data", '$.jobs') IS NOT NULL`,
    proof: {
      pair: {
        trigger: "tr_pending_event_rare",
        from: `(OLD."type" IS NOT 'MessagePosted' OR json_type(OLD."data", '$.jobs') IS NOT NULL)`,
        to: "TRUE"
      }
    }
  }
]

const onEvents: ReadonlyArray<SecondCondition> = [
  {
    because: "an event beyond the next position is not the pending one, so nothing applies it",
    trigger: "tr_events_chain_insert",
    from: `NEW."position" IS NOT (SELECT "size" + 1 FROM "head")`,
    to: `NEW."position" < (SELECT "size" + 1 FROM "head")`,
    proof: {
      answers: [
        "LedgerCreated must be the first event",
        "There is no projection for this type",
        "events is a chain"
      ]
    }
  },
  {
    because: "a run without a name has no steps",
    trigger: "tr_pending_event_step_claimed",
    from: "'run:?*'",
    to: "'run:*'",
    proof: { answers: ["StepClaimed must take the first PENDING step"] }
  },
  {
    because: "a step that does not wait cannot be leased",
    trigger: "tr_pending_event_step_claimed",
    from: `"status" = 'PENDING'`,
    proof: { answers: [committedIsFinal[0], "Lease fields can only be set by the transition"] }
  },
  {
    because: "its texts must be those of the lease, or a time; older versions of SQLite cut them at U+0000",
    trigger: "tr_pending_rare_event_lease_renewed",
    refusal: "LeaseRenewed may not have U+0000",
    to: "SELECT 1;",
    proof: {
      answers: [
        "LeaseRenewed must name a lease",
        "LeaseRenewed must name an existing step",
        "PENDING -> LEASED must name a worker and an expiry"
      ]
    }
  },
  {
    because: "a committed step keeps its lease and never waits again",
    trigger: "tr_pending_rare_event_step_requeued",
    from: `"status" IS 'LEASED'`,
    proof: { answers: [committedIsFinal[1]] }
  },
  {
    because: "a committed step keeps its lease and never waits again, not even within a renewal",
    trigger: "tr_pending_rare_event_lease_renewed",
    from: `"status" IS 'LEASED'`,
    proof: { answers: [committedIsFinal[1], "LeaseRenewed must come before its lease expires"] }
  },
  {
    because: "a thought's task needs a name",
    trigger: "tr_pending_rare_event_thought_recorded",
    from: "'task:?*'",
    to: "'task:*'",
    proof: { answers: ["A thought needs an id"] }
  }
]

// The promised names come first and say what is wrong; the list of allowed changes refuses it all the same.
const onSteps: ReadonlyArray<SecondCondition> = [
  {
    because: "it only keeps this answer to requeues; no other change to PENDING is allowed",
    trigger: "tr_steps_fsm_illegal_2",
    from: `OLD."status" IS 'LEASED'`,
    proof: { answers: ["Illegal transition LEASED -> PENDING"] }
  },
  {
    because: "it only keeps this answer to leases; no change of a committed step is allowed",
    trigger: "tr_steps_fsm_illegal_3",
    from: `NEW."status" IS 'LEASED'`,
    proof: { answers: ["Illegal transition COMMITTED -> LEASED"] }
  },
  ...["tr_steps_fsm_illegal_1", "tr_steps_fsm_illegal_3"].map((trigger) => ({
    because: "the list of allowed changes has no such change",
    trigger,
    proof: { answers: [onlyChanges] }
  })),
  {
    because: "it only keeps this answer to leases; no step keeps its status in a change that is allowed",
    trigger: "tr_steps_lease_prevent_direct_set",
    from: `("NEW"."lease_owner" IS NOT "OLD"."lease_owner" OR "NEW"."lease_expires_at" IS NOT "OLD"."lease_expires_at" OR "NEW"."fencing_token" IS NOT "OLD"."fencing_token")`,
    proof: { answers: ["Lease fields can only be set"] }
  },
  {
    because: "the list of allowed changes has none in which the status stays",
    trigger: "tr_steps_lease_prevent_direct_set",
    proof: { answers: [onlyChanges, leasedTwice] }
  },
  {
    because: "it only keeps this answer to what would wait again; no change of a committed step is allowed",
    trigger: "tr_steps_transition",
    refusal: committedIsFinal[1],
    from: `NEW."status" IS 'PENDING'`,
    proof: { answers: [committedIsFinal[1], "cassette_steps is changed only by the event that is pending"] }
  },
  ...[committedIsFinal[1], leasedTwice].map((refusal) => ({
    because: "it only says more exactly what the list of allowed changes refuses",
    trigger: "tr_steps_transition",
    refusal,
    to: "FALSE",
    proof: { answers: [onlyChanges] }
  })),
  {
    because: "what else could become LEASED is refused before, with words of its own",
    trigger: "tr_steps_transition",
    refusal: onlyChanges,
    from: `OLD."status" IS 'PENDING'`,
    proof: { pair: { trigger: "tr_steps_fsm_illegal_3", from: "tr_steps_fsm_illegal_3", to: "" } }
  },
  {
    because: "what becomes COMMITTED needs a receipt of the same event, and that a lease",
    trigger: "tr_steps_transition",
    refusal: onlyChanges,
    from: `OLD."status" IS 'LEASED'`,
    proof: {
      answers: [
        "A step's hidden rowid is frozen",
        "LEASED -> COMMITTED needs the receipt of the same event",
        "cassette_steps is changed only by the event that is pending"
      ]
    }
  }
]

const textLength = `length(NEW."hash") IS NOT 64`
const byteLength = `length(CAST(NEW."hash" AS BLOB)) IS NOT 64`
const lengthsOfHash = [
  { from: textLength, to: `length(NEW."hash") < 64`, other: byteLength },
  { from: byteLength, to: `length(CAST(NEW."hash" AS BLOB)) > 64`, other: textLength }
].map(({ from, other, to }): SecondCondition => ({
  because: "the length in characters and the length in bytes differ at U+0000 alone",
  trigger: "tr_thoughts_append_only_insert",
  from,
  to,
  proof: { pair: { trigger: "tr_thoughts_append_only_insert", from: other, to: "FALSE" } }
}))

/** Those of the ledger. */
export const ledgerSecondConditions: ReadonlyArray<SecondCondition> = [
  ...cheapLookForNul,
  ...lengthsOfTrace,
  ...onMessages,
  ...onDispatch,
  ...onEvents,
  ...onSteps,
  ...lengthsOfHash
]
