// Elements, and text in them. Stored text enters as text alone: what has no shape of its own is shown as an escape, and every name
// keeps its direction to itself.

type Child = Node | string | number | null | undefined | false | ReadonlyArray<Child>

type Properties = Readonly<
  Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>
>

const SVG = "http://www.w3.org/2000/svg"

const put = (element: Element, children: ReadonlyArray<Child>): void => {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (Array.isArray(child)) put(element, child)
    else element.append(child instanceof Node ? child : String(child))
  }
}

const filled = <E extends Element>(element: E, properties: Properties, children: ReadonlyArray<Child>): E => {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (typeof value === "function") element.addEventListener(name, value)
    else element.setAttribute(name, value === true ? "" : String(value))
  }
  put(element, children)
  return element
}

/** An element with its properties; a function is a listener. */
export const h = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Properties = {},
  ...children: ReadonlyArray<Child>
): HTMLElementTagNameMap[K] => filled(document.createElement(name), properties, children)

/** An element of a drawing. */
export const s = (name: string, properties: Properties = {}, ...children: ReadonlyArray<Child>): SVGElement =>
  filled(document.createElementNS(SVG, name) as SVGElement, properties, children)

export const byId = (id: string): HTMLElement => {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no ${id}`)
  return element
}

/** Characters without a shape of their own, as the command line escapes them; line feeds and tabs are shown as they are. */
const UNSEEN = /((?![\ufe0e\ufe0f\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}])/u

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`
  ).join("")

const isUnseen = (_: string, index: number): boolean => index % 2 === 1

/** Stored text as it is shown. */
export const shown = (text: string): ReadonlyArray<Child> =>
  text
    .split(UNSEEN)
    .map((part, index) =>
      isUnseen(part, index)
        ? h("span", { class: "hidden-char", title: "a character without a shape" }, escaped(part))
        : part
    )

/** Stored text for titles and labels, which take no elements. */
export const plain = (text: string): string =>
  text
    .split(UNSEEN)
    .map((part, index) => (isUnseen(part, index) ? escaped(part) : part))
    .join("")

/** A name, whose direction does not reach what stands around it. */
export const name = (text: string, properties: Properties = {}): HTMLElement =>
  h("bdi", { dir: "auto", ...properties }, shown(text))

export const clipped = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`

/** A word of a shell command that is what it seems: anything unusual is quoted, and what cannot be seen is escaped. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word)
    ? word
    : `$'${word
        .replaceAll(/[\\']/g, "\\$&")
        .replaceAll("\n", "\\n")
        .replaceAll("\t", "\\t")
        .split(UNSEEN)
        .map((part, index) =>
          isUnseen(part, index) ? `\\U${(part.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}` : part
        )
        .join("")}'`
