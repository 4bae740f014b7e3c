// Lists that have a view of their own: all runs by their names, all steps that ended without success, the newest thoughts.
import type { FailedStep, Page, RunItem } from "../../../domain/inspection/answers.ts"
import { ask } from "./asking.ts"
import { h } from "./dom.ts"
import { FAILED_HEADINGS, failedRows, RUN_HEADINGS, runRows } from "./overview.ts"
import { none, table } from "./parts.ts"
import { growing } from "./run.ts"

const titled = (title: string, content: HTMLElement): ReadonlyArray<HTMLElement> => [
  h("div", { class: "title" }, h("h1", {}, title)),
  content
]

export const runsView = async (view: HTMLElement): Promise<void> => {
  const page = (after: string | undefined) =>
    ask<Page<RunItem, string>>("/v1/runs", { by_name: "yes", after })
  const show = (runs: ReadonlyArray<RunItem>) => table("Runs", RUN_HEADINGS, runRows(runs))
  view.replaceChildren(...titled("Runs by name", growing(await page(undefined), show, page)))
}

export const failedView = async (view: HTMLElement): Promise<void> => {
  const page = (before: number | undefined) => ask<Page<FailedStep, number>>("/v1/failed", { before })
  const first = await page(undefined)
  const show = (failed: ReadonlyArray<FailedStep>) => table("Failed", FAILED_HEADINGS, failedRows(failed))
  const content =
    first.items.length === 0 ? none("No step has failed and none was aborted.") : growing(first, show, page)
  view.replaceChildren(...titled("Failed and aborted", content))
}
