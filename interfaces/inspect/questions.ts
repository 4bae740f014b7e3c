// What the page may ask, by path: each question is answered by one call of the inspection or of the network. The server and the
// saved page answer from here, so that both show the same.
import * as Effect from "effect/Effect"
import type { HistoryShape } from "../../application/history/history.ts"
import type { InspectionShape } from "../../application/inspection/inspection.ts"
import type { NetworkShape } from "../../application/network/hub.ts"
import { isJsonObject } from "../../domain/canonical/json.ts"
import { gistOfPayload } from "../../domain/history/gist.ts"
import { type EvidenceSeen, STEP_FILTERS } from "../../domain/inspection/answers.ts"
import { MAX_POSITION } from "../../domain/inspection/positions.ts"
import { errorDocument } from "../shared/envelope.ts"
import type { VerificationRequest } from "./verification.ts"
import { withTexts } from "../../domain/inspection/stored-text.ts"

/** An answer as it leaves: a status and a value that becomes JSON. */
export interface PageAnswer {
  readonly status: 200 | 400 | 404 | 500
  readonly body: object
}

/** A ledger that the page looks at. */
export interface InspectedLedger {
  readonly inspection: InspectionShape
  readonly history: HistoryShape
  /** What a verification is asked with. */
  readonly verification: VerificationRequest
  /** The program of the process that verifies; by default it is looked for beside this one. */
  readonly verifyingProgram?: string | undefined
  /** The network, opened when it is first asked; undefined where there is none. */
  readonly network:
    | Effect.Effect<NetworkShape, { readonly _tag: string; readonly message: string }>
    | undefined
}

/** What the page looks at: a ledger, or evidence that was handed over, which is there as a whole. */
export type Inspected = InspectedLedger | { readonly evidence: EvidenceSeen }

type Failure = { readonly _tag: string; readonly message: string }
type Answer = Effect.Effect<object | undefined, Failure>
type Parameters = URLSearchParams

const refused = (message: string): Effect.Effect<never, Failure> =>
  Effect.fail({ _tag: "InvalidInput", message })

const position = (parameters: Parameters, name: string): number => {
  const text = parameters.get(name) ?? ""
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : MAX_POSITION
}

const text = (parameters: Parameters, name: string): string => parameters.get(name) ?? ""

const filterOf = (parameters: Parameters) => STEP_FILTERS.find((filter) => filter === parameters.get("state"))

const afterOf = (parameters: Parameters): number | undefined => {
  const after = position(parameters, "after")
  return after === MAX_POSITION ? undefined : after
}

/** How many events a page of them has. */
const EVENTS = 100

/** How many hits a search of the page shows. */
const HITS = 20

const searched = (
  { network }: InspectedLedger,
  ask: (network: NetworkShape) => Effect.Effect<object, Failure>
): Answer => (network === undefined ? Effect.succeed(undefined) : Effect.flatMap(network, ask))

/** A page of the timeline from its end, as the page's other lists. */
const eventsPage = ({ history, inspection }: InspectedLedger, parameters: Parameters): Answer =>
  Effect.gen(function* () {
    const at = yield* inspection.moment
    const before = position(parameters, "before")
    const run_id = parameters.get("run") ?? undefined
    const items = yield* history.newest({ run_id, before, limit: EVENTS })
    const oldest = items.at(-1)?.position ?? 1
    return { ...at, items, next: items.length < EVENTS || oldest <= 1 ? null : oldest }
  })

/** One object of the history, with the moment and, of a step, a few words for what it asks. */
const shownObject = ({ history, inspection }: InspectedLedger, parameters: Parameters): Answer =>
  Effect.gen(function* () {
    const at = yield* inspection.moment
    const object = yield* history.show(text(parameters, "id"), { full: parameters.has("whole") })
    const payload = object.kind === "step" ? object.payload.whole : undefined
    return { ...at, ...withTexts(object), gist: isJsonObject(payload) ? gistOfPayload(payload) : "a step" }
  })

const questions: Readonly<Record<string, (inspected: InspectedLedger, parameters: Parameters) => Answer>> = {
  "/v1/overview": ({ inspection }) => inspection.overview,
  "/v1/runs": ({ inspection }, parameters) =>
    parameters.has("by_name")
      ? inspection.runsByName(text(parameters, "after"))
      : inspection.runs(position(parameters, "before")),
  "/v1/failed": ({ inspection }, parameters) => inspection.failed(position(parameters, "before")),
  "/v1/run": ({ inspection }, parameters) => inspection.run(text(parameters, "id")),
  "/v1/steps": ({ inspection }, parameters) =>
    inspection.steps(text(parameters, "run"), text(parameters, "after"), filterOf(parameters)),
  "/v1/events": eventsPage,
  "/v1/drawing": ({ inspection }, parameters) => inspection.drawing(text(parameters, "run")),
  "/v1/show": shownObject,
  "/v1/thoughts": ({ inspection }, parameters) =>
    inspection.thoughts(text(parameters, "task"), afterOf(parameters)),
  "/v1/proof": ({ inspection }, parameters) =>
    Effect.map(inspection.proof(position(parameters, "position")), (proof) =>
      proof === undefined ? undefined : { proof }
    ),
  "/v1/growth": ({ inspection }, parameters) => inspection.growth(afterOf(parameters) ?? 0),
  "/v1/network": (inspected) =>
    searched(inspected, ({ status }) => Effect.map(status, (cassettes) => ({ cassettes }))),
  "/v1/network/query": (inspected, parameters) =>
    text(parameters, "text") === ""
      ? refused("text: say what to look for")
      : searched(inspected, ({ query }) => query(text(parameters, "text"), HITS)),
  "/v1/memories": (inspected, parameters) =>
    text(parameters, "text") === ""
      ? refused("text: say what to look for")
      : searched(inspected, ({ memoryQuery }) => memoryQuery(text(parameters, "text"), HITS))
}

/** What is no fault of the ledger's. */
const statusOf = ({ _tag }: Failure): PageAnswer["status"] => {
  if (_tag.endsWith("NotFound")) return 404
  return ["AmbiguousPrefix", "InvalidInput", "ProofRefused"].includes(_tag) ? 400 : 500
}

const NOT_FOUND: PageAnswer = { status: 404, body: { code: "NOT_FOUND", message: "there is nothing here" } }

/** The answer to a question; a failure is an answer that says what happened. */
export const answerTo = (
  inspected: Inspected,
  path: string,
  parameters: Parameters
): Effect.Effect<PageAnswer> => {
  if ("evidence" in inspected) {
    const isKnown = path === "/v1/overview"
    return Effect.succeed(isKnown ? { status: 200, body: inspected.evidence } : NOT_FOUND)
  }
  const question = Object.hasOwn(questions, path) ? questions[path] : undefined
  if (question === undefined) {
    return Effect.succeed(NOT_FOUND)
  }
  return question(inspected, parameters).pipe(
    Effect.map((found): PageAnswer =>
      found === undefined
        ? { status: 404, body: { code: "NOT_FOUND", message: "it is not in this ledger" } }
        : { status: 200, body: found }
    ),
    Effect.catch((error) =>
      Effect.succeed<PageAnswer>({ status: statusOf(error), body: errorDocument(error) })
    )
  )
}
