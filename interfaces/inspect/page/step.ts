// A step for an auditor, from the top to the bottom of one screen: who asked, who claimed it with which token, how each attempt
// ended and why, what was thought meanwhile, and the receipt.
import type { Moment } from "../../../domain/inspection/answers.ts"
import type {
  ShownAttempt,
  ShownEvent,
  ShownStep as Step,
  ThoughtDuring
} from "../../../domain/history/shown.ts"
import type { WithTexts } from "../../../domain/inspection/stored-text.ts"
import { ask } from "./asking.ts"
import { commandCopier, ident, proofCopier, to } from "./copying.ts"
import { h, name, shown } from "./dom.ts"
import { box, note, rowLink } from "./parts.ts"
import { badge, between, clock, duration, many, number, stateOf, when } from "./words.ts"
import { stateNow } from "./run.ts"

type ShownStep = WithTexts<Step>

type Child = Parameters<typeof h>[2]

/** What happened at a moment of the step's life. */
interface Entry {
  readonly at: string
  readonly position: number
  readonly style: string
  readonly says: Child
  readonly facts: ReadonlyArray<string>
  readonly below?: Child
}

const quoted = (reason: string): Child => reason !== "" && h("p", { class: "says" }, name(reason))

const thoughtEntry = (
  { gist, position, type }: ThoughtDuring,
  { claimed, worker_id }: ShownAttempt
): Entry => ({
  at: claimed?.at ?? "",
  position,
  style: "thought",
  says: [h("b", {}, name(worker_id)), ` thought (${type})`],
  facts: ["during the attempt"],
  below: quoted(gist)
})

const claimEntries = (attempt: ShownAttempt, since: string): ReadonlyArray<Entry> => {
  const { claimed, lease_expires_at, renewals, worker_id } = attempt
  if (claimed === undefined) return []
  const token = renewals.length === 0 ? attempt.fencing_token : attempt.fencing_token - renewals.length
  const lease =
    lease_expires_at === undefined || renewals.length > 0
      ? []
      : [`lease until ${clock(lease_expires_at, 23)}`]
  return [
    {
      at: claimed.at,
      position: claimed.position,
      style: attempt.end === undefined ? "leased" : "claimed",
      says: [
        h("b", {}, name(worker_id)),
        " claimed it with ",
        h("b", {}, `token ${token}`),
        h("span", { class: "second" }, `, after waiting ${duration(between(since, claimed.at))}`)
      ],
      facts: lease
    },
    ...renewals.map(({ at, fencing_token, lease_expires_at: until, position }): Entry => ({
      at,
      position,
      style: "claimed",
      says: [h("b", {}, name(worker_id)), " renewed the lease: ", h("b", {}, `token ${fencing_token}`)],
      facts: [`lease until ${clock(until, 23)}`]
    }))
  ]
}

/** How much of the lease was left, or over. */
const leaseFact = (at: string, until: string | undefined): ReadonlyArray<string> => {
  if (until === undefined) return []
  return at > until
    ? [`the lease had ended ${duration(between(until, at))} before`]
    : [`the lease had ${duration(between(at, until))} left`]
}

const endEntry = (attempt: ShownAttempt, step: ShownStep): ReadonlyArray<Entry> => {
  const { claimed, end, lease_expires_at, worker_id } = attempt
  if (end === undefined) return []
  const took = claimed === undefined ? "" : ` after ${duration(between(claimed.at, end.at))}`
  const [style] = stateOf(end.how)
  if (end.requested_by !== undefined) {
    const who = [`asked for by ${end.requested_by}`]
    return [
      {
        at: end.at,
        position: end.position,
        style,
        says: [h("b", {}, "Waits again: "), badge(end.how), h("span", { class: "second" }, took)],
        facts: [...who, ...leaseFact(end.at, lease_expires_at)],
        below: quoted(end.reason ?? "")
      }
    ]
  }
  const { receipt } = step
  return [
    {
      at: end.at,
      position: end.position,
      style,
      says: [
        h("b", {}, name(worker_id)),
        " finished it: ",
        badge(end.how),
        h("span", { class: "second" }, `${took}, token ${attempt.fencing_token}`)
      ],
      facts: [],
      below: receipt !== null && [
        h("div", { class: "meta" }, ident(receipt.receipt_id)),
        box(
          "Receipt",
          receipt.receipt,
          async () => (await whole(step.step_id)).receipt?.receipt ?? receipt.receipt
        )
      ]
    }
  ]
}

const whole = (stepId: string) => ask<ShownStep>("/v1/show", { id: stepId, whole: "yes" })

const entriesOf = (step: ShownStep): ReadonlyArray<Entry> => {
  let since = step.posted.recorded_at
  const posted: Entry = {
    at: since,
    position: step.posted.position,
    style: "claimed",
    says: [h("b", {}, "Posted"), ` as step ${number(step.ordinal)} of its job`],
    facts: [],
    below: [
      h("div", { class: "meta" }, ident(step.message_id)),
      box("What the step asks", step.payload, async () => (await whole(step.step_id)).payload)
    ]
  }
  const attempts = step.attempts.flatMap((attempt) => {
    const entries = [
      ...claimEntries(attempt, since),
      ...attempt.thoughts.map((thought) => thoughtEntry(thought, attempt)),
      ...endEntry(attempt, step)
    ]
    since = attempt.end?.at ?? since
    return entries.sort((left, right) => left.position - right.position)
  })
  return [posted, ...attempts]
}

const trail = (entries: ReadonlyArray<Entry>): HTMLElement =>
  h(
    "ol",
    { class: "trail" },
    entries.map(({ at, below, facts, position, says, style }, index) => {
      const before = entries[index - 1]?.at
      const time = when(at, 23)
      if (style === "thought") time.textContent = ""
      else time.append(h("small", {}, before === undefined ? "UTC" : `+${duration(between(before, at))}`))
      return h(
        "li",
        {},
        time,
        h("div", { class: `dot ${style}` }),
        h(
          "div",
          {},
          h("div", {}, says),
          h(
            "div",
            { class: "meta" },
            rowLink(to("event", position), `event ${number(position)}`),
            facts.map((fact) => h("span", {}, name(fact))),
            proofCopier(position)
          ),
          below
        )
      )
    })
  )

/** Draws a step. */
export const stepView = async (view: HTMLElement, stepId: string): Promise<void> => {
  const step = await ask<ShownStep & Moment & { readonly gist: string }>("/v1/show", { id: stepId })
  const beside = (offset: number) => `${stepId.slice(0, -5)}${String(step.ordinal + offset).padStart(5, "0")}`
  view.replaceChildren(
    h(
      "div",
      { class: "title" },
      h(
        "p",
        {},
        h("a", { class: "link", href: to("run", step.run_id), "data-up": true }, name(step.run_id)),
        `, step ${step.short_id}`
      ),
      h("h1", {}, name(step.gist)),
      h(
        "div",
        { class: "line" },
        badge(stateNow(step, step.receipt?.outcome ?? null, step.now)),
        h("span", { class: "second" }, many(step.attempts.length, "attempt")),
        h("span", {}, ident(stepId)),
        commandCopier("show", stepId),
        step.ordinal > 1 &&
          h("a", { class: "link", href: to("step", beside(-1)), "data-beside": "[" }, "← Before"),
        h("a", { class: "link", href: to("step", beside(1)), "data-beside": "]" }, "Next →")
      )
    ),
    ...step.differs.map((difference) =>
      note(["The tables say something else than the events: ", ...shown(difference)], true)
    ),
    ...(step.earlier_attempts
      ? [note(["There are earlier attempts that are not listed: they are very many."])]
      : []),
    trail(entriesOf(step))
  )
}

/** Draws an event: its envelope, and its data as they are hashed. */
export const eventView = async (view: HTMLElement, position: string): Promise<void> => {
  const question = { id: `event:${position}` }
  const event = await ask<WithTexts<ShownEvent> & Moment>("/v1/show", question)
  const pair = (title: string, ...content: ReadonlyArray<Child>) => [h("dt", {}, title), h("dd", {}, content)]
  const about = event.about
  const isStep = about?.startsWith("step_") === true
  const runId = event.stream_id.startsWith("run:") ? event.stream_id.slice(4) : undefined
  view.replaceChildren(
    h(
      "div",
      { class: "title" },
      h("h1", {}, `Event ${number(event.position)}`),
      h("p", { class: "second" }, name(event.sentence)),
      h(
        "div",
        { class: "line" },
        proofCopier(event.position),
        commandCopier("show", `event:${event.position}`),
        event.position > 1 &&
          h("a", { class: "link", href: to("event", event.position - 1), "data-beside": "[" }, "← Before"),
        event.position < event.as_of.position &&
          h("a", { class: "link", href: to("event", event.position + 1), "data-beside": "]" }, "Next →")
      )
    ),
    h(
      "dl",
      { class: "pairs" },
      pair("type", `${event.type}, version ${event.schema_version}`),
      pair("time", when(event.recorded_at, 23), " UTC"),
      pair(
        "stream",
        runId === undefined
          ? name(event.stream_id)
          : h("a", { class: "link", href: to("run", runId), "data-up": true }, name(event.stream_id))
      ),
      about !== null && pair("about", ident(about, isStep ? to("step", about) : undefined)),
      pair("hash", h("span", { class: "mono" }, event.hash)),
      pair("hash before", h("span", { class: "mono" }, event.prev_hash))
    ),
    box(
      "Data",
      event.data,
      async () => (await ask<WithTexts<ShownEvent>>("/v1/show", { ...question, whole: "yes" })).data
    )
  )
}
