// The life of a step as one table: which event takes it from which status to which. decide, evolve and the
// tests read this table; the database's triggers say the same in SQL. An edge that is not here does not exist.
import * as Schema from "effect/Schema"

/** How a step stands. */
export const StepStatus = Schema.Literals(["PENDING", "LEASED", "COMMITTED"])
export type StepStatus = typeof StepStatus.Type

/** The events that move a step. */
export type StepEventType = "StepClaimed" | "StepCompleted" | "StepRequeued" | "LeaseRenewed"

/** One arrow of the step's state machine. */
export interface StepTransition {
  readonly from: StepStatus
  readonly event: StepEventType
  readonly to: StepStatus
}

/** All legal edges; every step is born PENDING and ends COMMITTED. */
export const stepTransitions: ReadonlyArray<StepTransition> = [
  { from: "PENDING", event: "StepClaimed", to: "LEASED" },
  { from: "LEASED", event: "StepCompleted", to: "COMMITTED" },
  { from: "LEASED", event: "StepRequeued", to: "PENDING" },
  // In the tables the step passes through PENDING within the one statement, so that a lease begins in one way only.
  { from: "LEASED", event: "LeaseRenewed", to: "LEASED" }
]

/** The status that a step has before its first event. */
export const INITIAL_STEP_STATUS: StepStatus = "PENDING"

/** The status after `event`, or undefined when a step in `from` cannot have that event. */
export const nextStepStatus = (from: StepStatus, event: StepEventType): StepStatus | undefined =>
  stepTransitions.find((edge) => edge.from === from && edge.event === event)?.to
