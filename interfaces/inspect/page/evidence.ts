// A dossier or a bundle: the report of its own verification, what it says of itself, its events as a trail, the texts that were read.
import type { EvidenceEntry, EvidenceSeen, EvidenceText } from "../../../domain/inspection/answers.ts"
import { copier } from "./copying.ts"
import { byId, h, name, shown } from "./dom.ts"
import { box, cell, none, note, row, section, table } from "./parts.ts"
import { drawTape } from "./tape.ts"
import { between, duration, many, number, when } from "./words.ts"

const entryItem = (entry: EvidenceEntry, before: EvidenceEntry | undefined): HTMLElement => {
  const { data, hash, is_withheld, position, recorded_at, sentence } = entry
  const time = when(recorded_at, 23)
  const since = before === undefined ? "UTC" : `+${duration(between(before.recorded_at, recorded_at))}`
  time.append(h("small", {}, since))
  const title = is_withheld ? "Data, with hashes in the place of bodies" : "Data"
  const details = h(
    "details",
    {},
    h("summary", { class: "dim" }, title),
    box(title, data, async () => data)
  )
  return h(
    "li",
    {},
    time,
    h("div", { class: "dot" }),
    h(
      "div",
      {},
      h("div", {}, name(sentence)),
      h(
        "div",
        { class: "meta" },
        `event ${number(position)}`,
        h("span", { class: "mono" }, hash.slice(0, 12)),
        copier("copy hash", "the event's hash", () => hash)
      ),
      details
    )
  )
}

const textItem = ({ ref, sha256, slice, text }: EvidenceText): HTMLElement =>
  h(
    "div",
    {},
    h(
      "div",
      { class: "line" },
      h("b", {}, name(ref)),
      h("span", { class: "dim" }, name(slice)),
      copier("copy hash", "the text's SHA-256", () => sha256)
    ),
    text === null
      ? note(["Its bytes are not those that the bundle names."], true)
      : box(`As it was, SHA-256 ${sha256.slice(0, 12)}`, text, async () => text)
  )

const verdictWords = ({ file, findings, findings_left_off, kind, verdict }: EvidenceSeen): string => {
  const sound = `Every byte of this ${kind} is accounted for, and what it says agrees with itself.`
  if (verdict === "PASS") return sound
  if (verdict === "UNSIGNED") return `${sound} Who signed it was not judged: name a trust file (--trust).`
  const [first] = findings
  const others = findings.length + findings_left_off - 1
  return `${first === undefined ? file : `${first.where}: ${first.message}`}${others > 0 ? ` And ${many(others, "more finding", "more findings")}.` : ""}`
}

const findingsPart = ({ findings }: EvidenceSeen): ReadonlyArray<HTMLElement> =>
  findings.length === 0
    ? []
    : [
        table(
          "Findings",
          ["What", "Code", "Finding"],
          findings.map(({ code, message, where }) =>
            row(
              [
                cell("first", ...shown(where)),
                cell("top", h("code", {}, code)),
                cell("wide", ...shown(message))
              ],
              ""
            )
          )
        )
      ]

const looks: Readonly<Record<EvidenceSeen["verdict"], { readonly style: string; readonly title: string }>> = {
  PASS: { style: "pass", title: "PASS" },
  UNSIGNED: { style: "", title: "Signature not judged" },
  FAIL: { style: "fail", title: "FAIL" },
  INVALID: { style: "fail", title: "INVALID" }
}

/** Draws a dossier or a bundle. */
export const evidenceView = (view: HTMLElement, seen: EvidenceSeen): void => {
  const { style, title } = looks[seen.verdict]
  const seal = byId("seal")
  seal.className = `seal ${style}`
  seal.textContent = title
  byId("find").hidden = true
  const words = h(
    "div",
    { class: `verdict ${style}` },
    drawTape(style === "pass" ? 1 : 0.6, style === "fail"),
    h("h1", {}, title),
    h("p", {}, ...shown(verdictWords(seen)))
  )
  const facts = h(
    "dl",
    { class: "pairs" },
    seen.facts.map(([title, value]) => [h("dt", {}, title), h("dd", {}, name(value))])
  )
  const events =
    seen.entries.length === 0
      ? []
      : [
          section(
            "Events",
            many(seen.entries.length + seen.entries_left_off, "event"),
            h(
              "ol",
              { class: "trail" },
              seen.entries.map((entry, index) => entryItem(entry, seen.entries[index - 1]))
            ),
            seen.entries_left_off > 0 &&
              none(`${number(seen.entries_left_off)} more are not on this page.`, false)
          )
        ]
  const texts =
    seen.texts.length === 0
      ? []
      : [section("Texts read", many(seen.texts.length, "text"), ...seen.texts.map(textItem))]
  view.replaceChildren(words, ...findingsPart(seen), facts, ...events, ...texts)
}
