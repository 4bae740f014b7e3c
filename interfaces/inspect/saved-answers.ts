// The answers that a saved page has inside: those to every question that a reader can ask by going from view to view, as far as
// there is room. What there is no room for is said.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nearestTimestamp } from "../../domain/canonical/timestamp.ts"
import type { Overview, Page, RunItem, StepItem } from "../../domain/inspection/answers.ts"
import type { TimelineEntry } from "../../domain/history/timeline.ts"
import { reported } from "../../application/foundation/progress.ts"
import { answerTo, type Inspected, type InspectedLedger } from "./questions.ts"

/** Most answers and most text (UTF-16 units) of a saved page. */
const MOST_ANSWERS = 5_000
const MOST_TEXT = 16 * 2 ** 20

/** The runs that are saved whole, those with the newest events first. */
const MOST_RUNS = 50

/** Collects answers until there is no more room. */
class Answers {
  readonly kept: Record<string, object> = {}
  private readonly inspected: InspectedLedger
  private text = 0
  private count = 0
  isFull = false

  constructor(inspected: InspectedLedger) {
    this.inspected = inspected
  }

  /** The answer to a question, kept under its text; undefined where there is none, or no room. */
  ask<A extends object>(question: string): Effect.Effect<A | undefined> {
    if (Object.hasOwn(this.kept, question)) return Effect.succeed(this.kept[question] as A)
    const [path = "", query = ""] = question.split("?", 2)
    return Effect.map(answerTo(this.inspected, path, new URLSearchParams(query)), ({ body, status }) => {
      if (status !== 200) return undefined
      this.text += JSON.stringify(body).length
      this.count += 1
      if (this.text > MOST_TEXT || this.count > MOST_ANSWERS) {
        this.isFull = true
        return undefined
      }
      this.kept[question] = body
      return body as A
    })
  }
}

const parameter = (name: string, value: string | number): string => `${name}=${encodeURIComponent(value)}`

/** Every page of a list; `question` is that of the first. */
const pages = Effect.fnUntraced(function* <Item>(answers: Answers, question: string, next: string) {
  const items: Array<Item> = []
  let page = yield* answers.ask<Page<Item, string | number>>(question)
  while (page !== undefined) {
    items.push(...page.items)
    if (page.next === null) break
    page = yield* answers.ask<Page<Item, string | number>>(`${question}&${parameter(next, page.next)}`)
  }
  return items
})

/** An object and, where a checkpoint covers its event, the proof of that. */
const saveEvent = Effect.fnUntraced(function* (answers: Answers, position: number, covered: number) {
  yield* answers.ask(`/v1/show?${parameter("id", `event:${position}`)}`)
  if (position <= covered) yield* answers.ask(`/v1/proof?${parameter("position", position)}`)
})

const saveRun = Effect.fnUntraced(function* (answers: Answers, { run_id }: RunItem, covered: number) {
  const run = parameter("run", run_id)
  yield* answers.ask(`/v1/run?${parameter("id", run_id)}`)
  yield* answers.ask(`/v1/drawing?${run}`)
  const steps = yield* pages<StepItem>(answers, `/v1/steps?${run}`, "after")
  for (const { step_id } of steps) yield* answers.ask(`/v1/show?${parameter("id", step_id)}`)
  for (const state of ["failed", "ended", "leased", "waiting"]) {
    yield* answers.ask(`/v1/steps?${run}&${parameter("state", state)}`)
  }
  const events = yield* pages<TimelineEntry>(answers, `/v1/events?${run}`, "before")
  for (const { position } of events) yield* saveEvent(answers, position, covered)
  yield* pages(answers, `/v1/thoughts?${parameter("task", run_id)}`, "after")
})

const ledgerAnswers = Effect.fnUntraced(function* (inspected: InspectedLedger, isVerified: boolean) {
  const report = isVerified ? yield* inspected.inspection.verify : null
  const answers = new Answers(inspected)
  const overview = yield* answers.ask<Overview>("/v1/overview")
  const covered = overview?.checkpoint?.fault === null ? overview.checkpoint.size : 0
  const runs = yield* pages<RunItem>(answers, "/v1/runs?by_name=yes", "after")
  const newestFirst = [...runs].sort((left, right) => right.last_position - left.last_position)
  for (const run of newestFirst.slice(0, MOST_RUNS)) {
    yield* reported(`saving run ${run.run_id}`, saveRun(answers, run, covered))
    if (answers.isFull) break
  }
  for (const { step_id } of overview?.failed ?? []) yield* answers.ask(`/v1/show?${parameter("id", step_id)}`)
  yield* answers.ask("/v1/failed")
  const isCut = answers.isFull || runs.length > MOST_RUNS
  return {
    saved_at: nearestTimestamp(yield* Clock.currentTimeMillis),
    report,
    answers: answers.kept,
    left_off: isCut ? "This page holds the newest runs only: the ledger has more than fits." : null
  }
})

/** The answers of a page that is saved now; `isVerified` says that the verdict over a ledger is made first. */
export const savedAnswers = (inspected: Inspected, isVerified: boolean) =>
  "evidence" in inspected
    ? Effect.succeed({
        saved_at: inspected.evidence.now,
        report: null,
        answers: { "/v1/overview": inspected.evidence },
        left_off: null
      })
    : ledgerAnswers(inspected, isVerified)
