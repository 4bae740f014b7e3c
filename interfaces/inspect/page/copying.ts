// What leaves the page leaves by the clipboard: ids, texts as they are stored, commands and proofs.
import { ask } from "./asking.ts"
import { byId, clipped, h, name, plain, shellWord } from "./dom.ts"
import { number } from "./words.ts"

/** What every view knows of the ledger. */
export const ledger = { file: "", checkpointSize: 0 }

let timer: ReturnType<typeof setTimeout> | undefined

export const toast = (text: string): void => {
  byId("toast").textContent = text
  clearTimeout(timer)
  timer = setTimeout(() => {
    byId("toast").textContent = ""
  }, 2_600)
}

/** A window to copy from by hand, where the browser lets no page copy. */
const showForCopying = (what: string, text: string): void => {
  const area = h("textarea", { readonly: true, "aria-label": what })
  area.value = text
  const dialog = h("dialog", { "aria-label": what }, h("p", {}, `Copy ${what} from here:`), area)
  dialog.addEventListener("close", () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
  area.select()
}

const copy = async (what: string, text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    toast(`Copied ${what}`)
  } catch {
    showForCopying(what, text)
  }
}

/** A button that copies. */
export const copier = (label: string, what: string, text: () => string | Promise<string>): HTMLElement =>
  h(
    "button",
    {
      class: "copy",
      type: "button",
      title: `Copy ${what}`,
      "data-copy": label,
      click: () => {
        Promise.resolve(text()).then(
          (value) => copy(what, value),
          (error: unknown) => toast(error instanceof Error ? error.message : String(error))
        )
      }
    },
    label
  )

/** Copies the command line that shows the same. */
export const commandCopier = (...words: ReadonlyArray<string>): HTMLElement =>
  copier("copy command", "the command that shows the same", () =>
    ["cortex", ...words, "--db", ledger.file].map(shellWord).join(" ")
  )

/** Copies the proof that an event is in the history that the checkpoint covers. */
export const proofCopier = (position: number): HTMLElement => {
  if (position <= ledger.checkpointSize) {
    return copier("copy proof", `the proof of event ${number(position)}`, async () => {
      const { proof } = await ask<{ readonly proof: string }>("/v1/proof", { position })
      return `${proof}\n`
    })
  }
  const why =
    ledger.checkpointSize === 0
      ? "A proof needs a signed checkpoint: cortex inspect --checkpoint FILE"
      : `The checkpoint covers ${number(ledger.checkpointSize)} events, not this one`
  return h("span", { class: "copy uncovered", title: why }, "no checkpoint covers it")
}

/** The part of an id by which it is recognised. */
export const short = (id: string): string =>
  /^(?:msg|job|step|rcpt)_/.test(id) && id.length > 20
    ? `${id.slice(0, id.indexOf("_") + 1)}…${id.slice(id.search(/.{4}(?:\.[\d.]+)?$/))}`
    : id.length > 28
      ? `${id.slice(0, 8)}…${id.slice(-4)}`
      : id

/** An id, shortened, with its whole text to copy. */
export const ident = (id: string, href?: string): ReadonlyArray<HTMLElement | string> => {
  const text = name(short(id))
  const properties = { class: "mono", title: plain(id) }
  return [
    href === undefined
      ? h("span", properties, text)
      : h("a", { ...properties, class: "mono link", href }, text),
    " ",
    copier("copy", `the id ${plain(clipped(id, 60))}`, () => id)
  ]
}

/** The address of a view. */
export const to = (...parts: ReadonlyArray<string | number>): string =>
  `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`
