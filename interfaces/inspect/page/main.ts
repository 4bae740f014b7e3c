// The page: an address after # is a view, each view asks for what it shows, and nothing is ever sent that changes anything.
import type { EvidenceSeen, Moment, Overview } from "../../../domain/inspection/answers.ts"
import type { Shown } from "../../../domain/history/shown.ts"
import { ask, saved, Unanswered } from "./asking.ts"
import { ledger, short, to, toast } from "./copying.ts"
import { byId, h, name, plain } from "./dom.ts"
import { evidenceView } from "./evidence.ts"
import { listenToKeys } from "./keys.ts"
import { failedView, runsView } from "./lists.ts"
import { overviewView } from "./overview.ts"
import { note } from "./parts.ts"
import { runView } from "./run.ts"
import { eventView, stepView } from "./step.ts"
import { drawSeal } from "./verdict.ts"
import { many } from "./words.ts"

/** Content that takes longer than this says that it is being read. */
const QUIET_MILLIS = 150

const view = byId("view")
let shownAt = 0
let evidence: EvidenceSeen | undefined
let turn = 0

const partsOf = (hash: string): ReadonlyArray<string> => {
  try {
    return hash
      .replace(/^#\/?/, "")
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent)
  } catch {
    return ["unreadable address"]
  }
}

const drawCrumbs = (parts: ReadonlyArray<string>): void => {
  const [kind, id] = parts
  const here =
    kind === undefined
      ? ledger.file.replace(/^.*[/\\]/, "")
      : id === undefined
        ? kind
        : kind === "event"
          ? `event ${id}`
          : short(id)
  const crumbs = [h("a", { href: "#/" }, h("b", {}, "Cassette")), h("i", {}, "/"), name(here)]
  byId("crumbs").replaceChildren(...crumbs)
  document.title = `${plain(id ?? kind ?? ledger.file)} · Cassette`
}

const showView = async (parts: ReadonlyArray<string>, place: HTMLElement): Promise<void> => {
  const [kind, id = "", tab, filter] = parts
  if (evidence !== undefined) return evidenceView(place, evidence)
  if (kind === undefined) return overviewView(place)
  if (kind === "run") return runView(place, id, tab, filter)
  if (kind === "step") return stepView(place, id)
  if (kind === "event") return eventView(place, id)
  if (kind === "runs") return runsView(place)
  if (kind === "failed") return failedView(place)
  throw new Unanswered(404, "There is no such view.")
}

const failureOf = (error: unknown): HTMLElement => {
  const message = error instanceof Error ? error.message : String(error)
  return h(
    "div",
    {},
    note([name(message)], true),
    h("p", { class: "none" }, h("a", { class: "link", href: "#/" }, "To the overview"))
  )
}

/** What every view needs of the ledger, once. */
const knowLedger = async (): Promise<void> => {
  if (ledger.file !== "") return
  const subject = await ask<EvidenceSeen | Overview>("/v1/overview")
  ledger.file = subject.file
  if (subject.kind !== "ledger") {
    evidence = subject
    return
  }
  const { as_of, checkpoint } = subject
  ledger.checkpointSize = checkpoint?.fault === null ? checkpoint.size : 0
  shownAt = as_of.position
}

const draw = async (): Promise<void> => {
  const mine = ++turn
  const parts = partsOf(location.hash)
  const place = h("div", {})
  const slow = setTimeout(() => {
    if (mine === turn) view.replaceChildren(h("p", { class: "none" }, "Reading …"))
  }, QUIET_MILLIS)
  byId("grown").hidden = true
  try {
    await knowLedger()
    drawCrumbs(parts)
    const drawn = showView(parts, place)
    await Promise.race([drawn, ready(place)])
    clearTimeout(slow)
    if (mine === turn) view.replaceChildren(place)
    await drawn
    if (evidence === undefined) drawSeal(shownAt)
  } catch (error) {
    if (mine === turn) view.replaceChildren(failureOf(error))
  } finally {
    clearTimeout(slow)
  }
}

/** Once a view has put something in its place: what it adds later comes by itself. */
const ready = (place: HTMLElement): Promise<void> =>
  new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      observer.disconnect()
      resolve()
    })
    observer.observe(place, { childList: true })
  })

/** Once the page can be seen. */
const seen = (): Promise<void> =>
  new Promise((resolve) => {
    if (!document.hidden) return resolve()
    document.addEventListener("visibilitychange", () => resolve(), { once: true })
  })

/** The newest moment behind a position; undefined when the page is hidden meanwhile: a browser has few connections for all tabs. */
const growthBehind = async (position: number): Promise<Moment | undefined> => {
  const hiding = new AbortController()
  const hide = () => hiding.abort()
  document.addEventListener("visibilitychange", hide, { once: true })
  try {
    return await ask<Moment>("/v1/growth", { after: position }, hiding.signal)
  } catch (error) {
    if (hiding.signal.aborted) return undefined
    throw error
  } finally {
    document.removeEventListener("visibilitychange", hide)
  }
}

const showGrowth = (position: number): void => {
  drawSeal(position)
  if (position <= shownAt) return
  const grown = byId("grown")
  grown.textContent = many(position - shownAt, "new event")
  grown.hidden = false
}

/** Looks for new events for as long as the page is seen; nothing moves by itself. */
const watchGrowth = async (): Promise<void> => {
  byId("grown").addEventListener("click", () => {
    ledger.file = ""
    void draw()
  })
  let since = shownAt
  while (true) {
    await seen()
    try {
      const moment = await growthBehind(since)
      byId("alert").replaceChildren()
      if (moment === undefined) continue
      since = moment.as_of.position
      showGrowth(since)
    } catch (error) {
      byId("alert").replaceChildren(
        note([name(error instanceof Error ? error.message : String(error))], true)
      )
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    }
  }
}

const pathOf = (found: Shown): string => {
  if (found.kind === "run") return to("run", found.run_id)
  if (found.kind === "event") return to("event", found.position)
  if (found.kind === "step" || found.kind === "receipt") return to("step", found.step_id)
  if (found.kind === "thought") return to("event", found.recorded.position)
  return to("event", found.posted.position)
}

/** A saved page has no prefixes of ids to look up: a number is an event. */
const idIn = (text: string): string => (saved !== undefined && /^\d+$/.test(text) ? `event:${text}` : text)

const find = async (text: string): Promise<void> => {
  try {
    location.hash = pathOf(await ask<Shown>("/v1/show", { id: idIn(text) }))
    byId("find").querySelector("input")?.blur()
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error))
  }
}

const begin = async (): Promise<void> => {
  listenToKeys()
  byId("find").addEventListener("submit", (event) => {
    event.preventDefault()
    const field = byId("find").querySelector("input")
    const text = field?.value.trim() ?? ""
    if (text !== "") void find(text)
  })
  addEventListener("hashchange", () => {
    scrollTo(0, 0)
    void draw()
  })
  await draw()
  if (saved === undefined && evidence === undefined) await watchGrowth()
}

void begin()
