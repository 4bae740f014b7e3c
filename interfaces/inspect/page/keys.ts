// The keyboard: each key does what a link or a button of the view does too.
import { byId, h } from "./dom.ts"
import { verifyOrStop } from "./verdict.ts"

const KEYS: ReadonlyArray<readonly [keys: string, does: string]> = [
  ["j k", "next and previous row"],
  ["Enter", "open the row"],
  ["[ ]", "step or event before and after"],
  ["u", "up"],
  ["c", "copy the command"],
  ["p", "copy the proof"],
  ["v", "verify, or stop"],
  ["/", "find"],
  ["t", "light or dark"],
  ["?", "this list"]
]

const showKeys = (): void => {
  const close = h("button", { class: "button", type: "button" }, "Close")
  const dialog = h(
    "dialog",
    { "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h(
      "dl",
      { class: "pairs" },
      KEYS.map(([keys, does]) => [
        h(
          "dt",
          {},
          keys.split(" ").map((key) => [h("kbd", {}, key), " "])
        ),
        h("dd", {}, does)
      ])
    ),
    close
  )
  close.addEventListener("click", () => dialog.close())
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

const moveRow = (by: number): void => {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next =
    rows[at === -1 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1)]
  next?.focus()
}

/** The button of the row that has the focus, else the view's first. */
const press = (label: string): void => {
  const row = document.activeElement?.closest("tr, li")
  const selector = `[data-copy="${label}"]`
  const button =
    row?.querySelector<HTMLElement>(selector) ?? byId("view").querySelector<HTMLElement>(selector)
  button?.click()
}

const nextTheme = (): void => {
  const root = document.documentElement
  const isDark =
    root.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")
  root.dataset["theme"] = isDark === "dark" ? "light" : "dark"
}

const up = (): void => {
  location.hash = document.querySelector("[data-up]")?.getAttribute("href") ?? "#/"
}

const actions: Readonly<Record<string, () => void>> = {
  j: () => moveRow(1),
  k: () => moveRow(-1),
  "[": () => document.querySelector<HTMLElement>('[data-beside="["]')?.click(),
  "]": () => document.querySelector<HTMLElement>('[data-beside="]"]')?.click(),
  u: up,
  c: () => press("copy command"),
  p: () => press("copy proof"),
  v: () => void verifyOrStop(),
  "/": () => byId("find").querySelector("input")?.focus(),
  t: nextTheme,
  "?": showKeys
}

export const listenToKeys = (): void => {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null)
      return
    if (target.matches("input, textarea")) {
      if (event.key === "Escape") target.blur()
      return
    }
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
    if (action === undefined) return
    event.preventDefault()
    action()
  })
}
