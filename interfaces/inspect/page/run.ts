// A run: how its steps stand, its time as a drawing, then its steps with every attempt, its events from the newest on, its thoughts.
import type {
  Drawing,
  Moment,
  Page,
  Run,
  RunCounts,
  StepFilter,
  StepItem,
  ThoughtItem
} from "../../../domain/inspection/answers.ts"
import type { TimelineEntry } from "../../../domain/history/timeline.ts"
import type { Attempt } from "../../../domain/ledger/attempts.ts"
import { ask } from "./asking.ts"
import { commandCopier, proofCopier, to } from "./copying.ts"
import { drawingPart } from "./drawing.ts"
import { h, name } from "./dom.ts"
import { cell, none, row, rowLink, table, tools } from "./parts.ts"
import { badge, between, clock, duration, many, number, stepNumber, when } from "./words.ts"

type Child = Parameters<typeof h>[2]

const countBadges = (counts: RunCounts): ReadonlyArray<Child> => {
  const parts = [
    ["SUCCESS", counts.done, "done"],
    ["FAILURE", counts.failed, "failed or aborted"],
    ["ended", counts.lease_ended, counts.lease_ended === 1 ? "lease ended" : "leases ended"],
    ["leased", counts.at_work, "at work"],
    ["waiting", counts.waiting, "waiting"]
  ] as const
  return parts.flatMap(([state, count, word]) =>
    count === 0 ? [] : [badge(state, `${number(count)} ${word}`)]
  )
}

/** How a step stands now. */
export const stateNow = (
  { lease_expires_at, status }: Pick<StepItem, "lease_expires_at" | "status">,
  outcome: string | null,
  now: string
): string => {
  if (status === "PENDING") return "waiting"
  if (status === "COMMITTED") return outcome ?? "COMMITTED"
  return lease_expires_at !== null && lease_expires_at <= now ? "ended" : "leased"
}

const took = ({ claimed, end }: Attempt): string =>
  claimed === undefined || end === undefined ? "" : duration(between(claimed.at, end.at))

const earlierRow = (attempt: Attempt): HTMLElement => {
  const { claimed, end, fencing_token, worker_id } = attempt
  return row(
    [
      cell("desk"),
      cell(
        "wide lead",
        h("span", { class: "dim" }, `before, token ${fencing_token}: `),
        name(end?.reason ?? ""),
        end?.requested_by !== undefined &&
          end.requested_by !== worker_id &&
          h("span", { class: "dim" }, ", asked for by ", name(end.requested_by))
      ),
      cell("top", badge(end?.how ?? "leased")),
      cell("clip", name(worker_id)),
      cell("number desk", String(fencing_token)),
      cell("number desk", claimed === undefined ? "" : when(claimed.at)),
      cell("number side", took(attempt))
    ],
    "attempt"
  )
}

/** Earlier attempts that are listed with a step; the step's own view has all. */
const LISTED_ATTEMPTS = 20

const stepRows = (step: StepItem, now: string): ReadonlyArray<HTMLElement> => {
  const { attempts, fencing_token, lease_owner, outcome, step_id, what } = step
  const open = attempts.findLast(
    ({ end }) => end === undefined || ["SUCCESS", "FAILURE", "ABORTED"].includes(end.how)
  )
  const earlier = attempts.filter((attempt) => attempt !== open).toReversed()
  const who = open?.worker_id ?? lease_owner
  const position = open?.end?.position ?? open?.claimed?.position
  return [
    row([
      cell("number desk dim", stepNumber(step_id)),
      cell(
        "wide lead",
        tools(position !== undefined && proofCopier(position), commandCopier("show", step_id)),
        rowLink(
          to("step", step_id),
          h("span", { class: "phone dim" }, `${stepNumber(step_id)} `),
          name(what)
        ),
        !step.has_all_attempts && h("span", { class: "dim" }, " · earlier attempts: open the step")
      ),
      cell("top", badge(stateNow(step, outcome, now))),
      cell("clip", who === null ? "" : name(who)),
      cell("number desk", fencing_token === 0 ? "" : String(fencing_token)),
      cell("number desk", open?.claimed === undefined ? "" : when(open.claimed.at)),
      cell("number side", open === undefined ? "" : took(open))
    ]),
    ...earlier.slice(0, LISTED_ATTEMPTS).map(earlierRow),
    ...(earlier.length > LISTED_ATTEMPTS
      ? [
          row(
            [cell("desk"), cell("wide dim", `${number(earlier.length - LISTED_ATTEMPTS)} earlier attempts`)],
            "attempt"
          )
        ]
      : [])
  ]
}

const FILTERS: ReadonlyArray<readonly [StepFilter | undefined, string, keyof RunCounts | undefined]> = [
  [undefined, "all", undefined],
  ["failed", "failed or aborted", "failed"],
  ["ended", "lease ended", "lease_ended"],
  ["leased", "at work", "at_work"],
  ["waiting", "waiting", "waiting"]
]

const filterChips = (runId: string, chosen: string | undefined, counts: RunCounts | null): HTMLElement =>
  h(
    "div",
    { class: "filters" },
    FILTERS.flatMap(([filter, word, count]) => {
      const size = count === undefined || counts === null ? undefined : counts[count]
      if (size === 0) return []
      const go = () => {
        location.hash = filter === undefined ? to("run", runId) : to("run", runId, "steps", filter)
      }
      const isChosen = filter === chosen
      const label = size === undefined ? word : `${word} ${number(size)}`
      return [
        h("button", { class: "chip", type: "button", "aria-pressed": String(isChosen), click: go }, label)
      ]
    })
  )

/** Pages that are added below each other; `more` gives the rows of the next. */
export const growing = <Item, Next extends string | number>(
  first: Page<Item, Next>,
  show: (items: ReadonlyArray<Item>) => HTMLElement,
  next: (after: Next) => Promise<Page<Item, Next>>
): HTMLElement => {
  const place = h("div", {}, show(first.items))
  const pager = (after: Next | null): void => {
    if (after === null) return
    const button = h("button", { class: "link", type: "button" }, "Show 100 more")
    const bar = h("div", { class: "pager" }, button)
    button.addEventListener("click", () => {
      button.disabled = true
      void next(after).then(
        (page) => {
          bar.remove()
          place.append(show(page.items))
          pager(page.next)
        },
        (error: unknown) => {
          button.disabled = false
          button.textContent = error instanceof Error ? error.message : String(error)
        }
      )
    })
    place.append(bar)
  }
  pager(first.next)
  return place
}

const stepsTab = async (
  runId: string,
  filter: string | undefined,
  counts: RunCounts | null
): Promise<HTMLElement> => {
  const page = (after: string | undefined) =>
    ask<Page<StepItem, string>>("/v1/steps", { run: runId, after, state: filter })
  const first = await page(undefined)
  let job = ""
  const show = (steps: ReadonlyArray<StepItem>) =>
    table(
      "Steps",
      [">#", "Step", "State", "Who", ">Token", ">Claimed", ">Took"],
      steps.flatMap((step) => {
        const isNew = step.job_id !== job && step.intent !== ""
        job = step.job_id
        const heading = row([h("td", { colspan: 7, role: "cell" }, name(step.intent))], "group")
        return [...(isNew && steps.length > 1 ? [heading] : []), ...stepRows(step, first.now)]
      })
    )
  return h(
    "div",
    {},
    filterChips(runId, filter, counts),
    first.items.length === 0 ? none("No step is in this state.", false) : growing(first, show, page)
  )
}

/** Events as sentences, the newest in front. */
const eventRows = (entries: ReadonlyArray<TimelineEntry>): HTMLElement =>
  table(
    "Events",
    [">#", "Event", ">Time"],
    entries.map(({ position, recorded_at, sentence }) =>
      row([
        cell("number dim desk", number(position)),
        cell(
          "wide lead",
          tools(proofCopier(position), commandCopier("show", `event:${position}`)),
          rowLink(to("event", position), name(sentence))
        ),
        cell("number top", when(recorded_at))
      ])
    )
  )

const eventsTab = async (runId: string): Promise<HTMLElement> => {
  const page = (before: number | undefined) =>
    ask<Page<TimelineEntry, number>>("/v1/events", { run: runId, before })
  return growing(await page(undefined), eventRows, page)
}

const thoughtItems = (thoughts: ReadonlyArray<ThoughtItem>): HTMLElement =>
  h(
    "ol",
    { class: "trail" },
    thoughts.map(({ agent_id, at, content, position, type }) =>
      h(
        "li",
        {},
        when(at),
        h("div", { class: "dot thought" }),
        h(
          "div",
          {},
          h("b", {}, name(agent_id)),
          ` ${type}`,
          h(
            "div",
            { class: "meta" },
            h("a", { href: to("event", position) }, `event ${number(position)}`),
            proofCopier(position)
          ),
          h("p", { class: "says" }, name(content.text), content.is_cut && "…")
        )
      )
    )
  )

const thoughtsTab = async (runId: string): Promise<HTMLElement> => {
  const page = (after: number | undefined) =>
    ask<Page<ThoughtItem, number>>("/v1/thoughts", { task: runId, after })
  const first = await page(undefined)
  return first.items.length === 0
    ? none("No thought was recorded for a task with this run's name.", false)
    : growing(first, thoughtItems, page)
}

const TABS = ["steps", "events", "thoughts"] as const

const tabBar = (runId: string, chosen: string, { events }: Run): HTMLElement =>
  h(
    "nav",
    { class: "tabs", "aria-label": "Parts of the run" },
    TABS.map((tab) =>
      h(
        "a",
        {
          href: tab === "steps" ? to("run", runId) : to("run", runId, tab),
          "aria-current": tab === chosen && "page"
        },
        tab.charAt(0).toUpperCase() + tab.slice(1),
        tab === "events" && h("span", { class: "dim" }, ` ${number(events)}`)
      )
    )
  )

/** Draws a run; `tab` and `filter` come from the address. */
export const runView = async (
  view: HTMLElement,
  runId: string,
  given = "steps",
  filter?: string
): Promise<void> => {
  const tab = TABS.find((each) => each === given) ?? "steps"
  const answer = await ask<Run>("/v1/run", { id: runId })
  const { counts, run } = answer
  const content =
    tab === "steps"
      ? await stepsTab(runId, filter, counts)
      : tab === "events"
        ? await eventsTab(runId)
        : await thoughtsTab(runId)
  const place = h("div", {})
  view.replaceChildren(
    h(
      "div",
      { class: "title" },
      h("h1", {}, name(runId)),
      run.intent !== "" && h("p", { class: "second" }, name(run.intent)),
      h(
        "div",
        { class: "line" },
        counts === null ? many(answer.events, "event") : countBadges(counts),
        h(
          "span",
          { class: "second" },
          `${clock(run.first_at)} to ${clock(run.last_at)} UTC, `,
          duration(between(run.first_at, run.last_at))
        ),
        commandCopier("timeline", "--run-id", runId)
      )
    ),
    place,
    tabBar(runId, tab, answer),
    content
  )
  const { drawing } = await ask<Moment & { readonly drawing: Drawing | null }>("/v1/drawing", { run: runId })
  place.replaceChildren(drawingPart(drawing))
}
