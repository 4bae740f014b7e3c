// Pieces that several views are made of: sections, tables, stored bodies, steps by their name.
import type { StoredText } from "../../../domain/inspection/stored-text.ts"
import { copier, to } from "./copying.ts"
import { h, name, shown } from "./dom.ts"
import { bytes, stepNumber } from "./words.ts"

type Child = Parameters<typeof h>[2]

export const section = (title: string, end: Child, ...children: ReadonlyArray<Child>): HTMLElement =>
  h(
    "section",
    { "aria-label": title },
    h("div", { class: "head" }, h("h2", {}, title), end !== null && h("span", { class: "end dim" }, end)),
    children
  )

/** A sentence in place of an empty list. */
export const none = (text: string, isGood = true): HTMLElement =>
  h("p", { class: isGood ? "none good" : "none" }, text)

export const note = (text: Child, isBad = false): HTMLElement =>
  h("p", { class: isBad ? "note bad" : "note" }, text)

export const cell = (style: string, ...children: ReadonlyArray<Child>): HTMLElement =>
  h("td", { class: style, role: "cell" }, children)

/** The buttons of a row, at the end of its wide cell. */
export const tools = (...children: ReadonlyArray<Child>): HTMLElement =>
  h("span", { class: "tools" }, children)

export const row = (cells: ReadonlyArray<HTMLElement>, style = "opens"): HTMLElement =>
  h("tr", { class: style, role: "row" }, cells)

/** A table; the headings of numbers end with their column. */
export const table = (
  label: string,
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<HTMLElement>
): HTMLElement =>
  h(
    "table",
    { class: "rows", role: "table", "aria-label": label },
    h(
      "thead",
      { role: "rowgroup" },
      h(
        "tr",
        { role: "row" },
        headings.map((heading) =>
          h(
            "th",
            { role: "columnheader", class: heading.startsWith(">") ? "number" : null },
            heading.replace(">", "")
          )
        )
      )
    ),
    h("tbody", { role: "rowgroup" }, rows)
  )

/** The link of a row that j, k and Enter go by. */
export const rowLink = (href: string, ...children: ReadonlyArray<Child>): HTMLElement =>
  h("a", { href, "data-row": true }, children)

/** A step by its number and what it is about. */
export const stepName = (stepId: string, what: string): ReadonlyArray<Child> => [
  h("span", { class: "dim" }, `step ${stepNumber(stepId)} `),
  name(what)
]

export const runLink = (runId: string): HTMLElement =>
  h("a", { href: to("run", runId), class: "clip" }, name(runId))

/** What of a text of JSON is laid out: strings, and the marks between them. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^{}[\]:,"]+/g

/** Text of JSON on several lines, unless it is short; nothing in it is read as a value. */
const laidOut = (text: string): string => {
  if (text.length < 96) return text
  let depth = 0
  let laid = ""
  const line = () => `\n${"  ".repeat(depth)}`
  for (const [token] of text.matchAll(TOKEN)) {
    const isOpening = token === "{" || token === "["
    const isClosing = token === "}" || token === "]"
    if (isClosing) {
      depth = Math.max(0, depth - 1)
      laid = /[{[]$/.test(laid.trimEnd()) ? laid.trimEnd() : laid + line()
    }
    laid += token
    if (isOpening) depth += 1
    if (isOpening || token === ",") laid += line()
    if (token === ":") laid += " "
  }
  return laid
}

const shownText = ({ text }: StoredText): ReadonlyArray<Node | string> =>
  shown(/^[{[]/.test(text) ? laidOut(text) : text) as ReadonlyArray<Node | string>

/** A stored text: whole, or its beginning with a button for the rest. */
export const box = (title: string, stored: StoredText, whole: () => Promise<StoredText>): HTMLElement => {
  const pre = h("pre", { tabindex: 0, dir: /^[{[]/.test(stored.text) ? "ltr" : "auto" }, shownText(stored))
  const all = async () => (stored.is_cut ? whole() : stored)
  const more = h("button", { class: "link", type: "button" }, `Show all ${bytes(stored.bytes)}`)
  more.addEventListener("click", () => {
    void all().then((full) => {
      pre.replaceChildren(...shownText(full))
      more.remove()
    })
  })
  const caption = h(
    "div",
    { class: "caption" },
    h("span", {}, title),
    h("span", {}, bytes(stored.bytes)),
    stored.is_cut && more,
    copier("copy", `${title.toLowerCase()} as stored`, async () => (await all()).text)
  )
  return h("div", { class: "box" }, caption, pre)
}
