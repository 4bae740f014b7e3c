// The first view: the verdict, what is stuck, what failed, the runs.
import type {
  EndedLease,
  FailedStep,
  Overview,
  Run,
  RunCounts,
  RunItem,
  Stuck
} from "../../../domain/inspection/answers.ts"
import { ask, saved } from "./asking.ts"
import { commandCopier, ledger, proofCopier, to } from "./copying.ts"
import { h, name, s } from "./dom.ts"
import { cell, none, row, rowLink, runLink, section, stepName, table, tools } from "./parts.ts"
import { networkParts } from "./network.ts"
import { verdictPart } from "./verdict.ts"
import { age, badge, between, clock, duration, many, number, when } from "./words.ts"

const MINUTE = 60_000

/** A step that waits shorter than this is not stuck. */
const PATIENCE = 5 * MINUTE

/** A run without an event for longer than this is called silent. */
const SILENT = 60 * MINUTE

const worker = (workerId: string, token: number): ReadonlyArray<Node | string> => [
  name(workerId),
  h("span", { class: "dim nowrap" }, ` token ${token}`)
]

const requeueCommand = ({ fencing_token, run_id, step_id, worker_id }: EndedLease): ReadonlyArray<string> =>
  ["cassette", "requeue", "--run-id", run_id, "--step", step_id, "--worker", worker_id].concat([
    "--token",
    String(fencing_token),
    "--reason",
    "its lease ended"
  ])

const leaseRows = ({ leases }: Stuck): ReadonlyArray<HTMLElement> =>
  leases.map((lease) => {
    const { fencing_token, lease_expires_at, run_id, step_id, what, worker_id } = lease
    return row([
      cell("first", badge("ended")),
      cell(
        "wide",
        tools(commandCopier(...requeueCommand(lease))),
        rowLink(to("step", step_id), stepName(step_id, what))
      ),
      cell("clip", runLink(run_id)),
      cell("who side", ...worker(worker_id, fencing_token)),
      cell("number top late", duration(age(lease_expires_at)))
    ])
  })

const waitingRows = ({ waiting }: Stuck): ReadonlyArray<HTMLElement> =>
  waiting
    .filter(({ created_at }) => age(created_at) >= PATIENCE)
    .map(({ created_at, last_at, run_id, step_id, what }) =>
      row([
        cell("first", badge("waiting")),
        cell(
          "wide",
          tools(commandCopier("cassette", "waiting", "--run-id", run_id)),
          rowLink(to("step", step_id), stepName(step_id, what)),
          age(last_at) >= SILENT &&
            h("span", { class: "dim" }, ` · no event in this run for ${duration(age(last_at))}`)
        ),
        cell("clip", runLink(run_id)),
        cell("who side dim", "no worker"),
        cell("number top", h("b", {}, duration(age(created_at))))
      ])
    )

const stuckPart = ({ now, stuck }: Overview): HTMLElement => {
  const rows = [...leaseRows(stuck), ...waitingRows(stuck)]
  return section(
    "Stuck",
    `as of ${clock(now)} UTC`,
    rows.length === 0
      ? none("Nothing is stuck: no lease is past its end, no step has waited for five minutes.")
      : table("Stuck", ["What", "Step", "Run", "Who", ">Since"], rows),
    stuck.has_more && h("p", { class: "none" }, "There are more; these are the oldest.")
  )
}

/** Rows of failures, of the overview and of a list of their own. */
export const failedRows = (failed: ReadonlyArray<FailedStep>): ReadonlyArray<HTMLElement> =>
  failed.map(({ at, fencing_token, outcome, position, reason, run_id, step_id, what, worker_id }) =>
    row([
      cell("first", badge(outcome)),
      cell(
        "wide",
        tools(proofCopier(position), commandCopier("show", step_id)),
        rowLink(to("step", step_id), stepName(step_id, what)),
        h("div", { class: "second" }, name(reason))
      ),
      cell("clip", runLink(run_id)),
      cell("who side", ...worker(worker_id, fencing_token)),
      cell("number top", when(at))
    ])
  )

export const FAILED_HEADINGS = ["Outcome", "Step and reason", "Run", "Who", ">When"]

const failedPart = ({ failed }: Overview): HTMLElement =>
  section(
    "Failed",
    failed.length > 0 ? h("a", { class: "link", href: "#/failed" }, "all") : null,
    failed.length === 0
      ? none("No step has failed and none was aborted.")
      : table("Failed", FAILED_HEADINGS, failedRows(failed))
  )

const COLOURS = [
  ["failed", "b-failed"],
  ["lease_ended", "b-ended"],
  ["at_work", "b-leased"],
  ["done", "b-done"],
  ["waiting", "b-again"]
] as const

/** How a run's steps stand, as one bar. */
const meter = (counts: RunCounts): SVGElement => {
  const all = COLOURS.reduce((sum, [state]) => sum + counts[state], 0)
  let x = 0
  const parts = COLOURS.flatMap(([state, style]) => {
    if (counts[state] === 0) return []
    const width = Math.max(2, (120 * counts[state]) / all)
    const part = s("rect", { class: style, x: x + 0.5, y: 0.5, width: Math.max(1, width - 1), height: 7 })
    x += width
    return [part]
  })
  const says = COLOURS.flatMap(([state]) =>
    counts[state] === 0 ? [] : [`${number(counts[state])} ${state.replace("_", " ")}`]
  ).join(", ")
  const picture = { class: "meter", viewBox: `0 0 ${Math.max(120, x)} 8`, role: "img", "aria-label": says }
  return s("svg", picture, s("title", {}, says), parts)
}

/** Fills in what takes longer, run by run, while the view stands. */
const fillIn = async (waits: ReadonlyArray<readonly [run: RunItem, place: HTMLElement]>): Promise<void> => {
  for (const [{ run_id }, place] of waits) {
    if (!place.isConnected) return
    try {
      const { counts, events } = await ask<Run>("/v1/run", { id: run_id })
      if (counts === null) place.append(many(events, "event"))
      else place.append(meter(counts))
    } catch {
      place.append("–")
    }
  }
}

export const runRows = (runs: ReadonlyArray<RunItem>): ReadonlyArray<HTMLElement> => {
  const waits: Array<readonly [RunItem, HTMLElement]> = []
  const rows = runs.map((run) => {
    const counts = cell("top")
    waits.push([run, counts])
    const { first_at, intent, last_at, run_id } = run
    return row([
      cell(
        "wide lead",
        tools(commandCopier("timeline", "--run-id", run_id)),
        rowLink(to("run", run_id), name(run_id)),
        intent !== "" && h("span", { class: "dim" }, " ", name(intent))
      ),
      counts,
      cell("number side", duration(between(first_at, last_at))),
      cell("number side", when(last_at))
    ])
  })
  // Once the rows stand in the page.
  setTimeout(() => void fillIn(waits))
  return rows
}

export const RUN_HEADINGS = ["Run", "Steps", ">Took", ">Last event"]

const runsPart = ({ runs }: Overview): HTMLElement =>
  section(
    "Runs",
    h("a", { class: "link", href: "#/runs" }, "all, by name"),
    runs.length === 0
      ? none("No message has been posted yet.", false)
      : table("Runs", RUN_HEADINGS, runRows(runs))
  )

/** Draws the overview, and the verdict again whenever it changes. */
export const overviewView = async (view: HTMLElement): Promise<void> => {
  const overview = await ask<Overview>("/v1/overview")
  ledger.file = overview.file
  ledger.checkpointSize = overview.checkpoint?.fault === null ? overview.checkpoint.size : 0
  const verdict = h("div", {})
  const draw = () => verdict.replaceChildren(...verdictPart(overview, () => verdict.isConnected && draw()))
  draw()
  view.replaceChildren(
    verdict,
    ...overview.warnings.map((warning) => h("p", { class: "note" }, name(warning))),
    stuckPart(overview),
    failedPart(overview),
    runsPart(overview),
    ...(overview.network !== null && saved === undefined ? networkParts(overview.network) : [])
  )
}
