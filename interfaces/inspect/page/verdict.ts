// The verdict: never asked, being found, or found. Verification begins with a button and can be stopped; what was known before
// stands until there is something new.
import type { Overview } from "../../../domain/inspection/answers.ts"
import type { Finding, VerificationReport } from "../../../domain/ledger/verification.ts"
import { saved, verifyLines, type VerifyLine } from "./asking.ts"
import { commandCopier, copier, ident, short, to } from "./copying.ts"
import { byId, h, shown } from "./dom.ts"
import { cell, note, row, table } from "./parts.ts"
import { drawTape } from "./tape.ts"
import { clock, many, number } from "./words.ts"

type Verdict =
  | { readonly state: "never" }
  | { readonly state: "busy"; readonly doing: string; readonly share: number }
  | { readonly state: "found"; readonly report: VerificationReport }
  | { readonly state: "broken"; readonly message: string }

let verdict: Verdict = saved?.report == null ? { state: "never" } : { state: "found", report: saved.report }
let running: AbortController | undefined
let redraw = (): void => {}

/** Evidence in front of what only describes how it was changed. */
const weight = ({ where }: Finding): number => (/^(?:event|cassette_|thought_)/.test(where) ? 0 : 1)

const ordered = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> =>
  [...findings].sort((left, right) => weight(left) - weight(right))

const OBJECTS: Readonly<Record<string, string>> = {
  cassette_messages: "message",
  cassette_jobs: "job",
  cassette_steps: "step",
  cassette_receipts: "receipt",
  thought_records: "thought",
  cassette_meta: "meta row"
}

const stepOf = (id: string): string | undefined =>
  /^(?:step|rcpt)_/.test(id) ? id.replace(/^rcpt_/, "step_") : undefined

/** The place of a finding, with a link where the page can show it. */
const placeOf = (where: string): ReadonlyArray<Node | string> => {
  const [kind = "", id = "", ...rest] = where.split(" ")
  if (kind === "event" && /^\d+$/.test(id)) {
    return [h("a", { class: "link", href: to("event", id) }, `event ${id}`)]
  }
  const object = Object.hasOwn(OBJECTS, kind) ? OBJECTS[kind] : undefined
  if (object === undefined || id === "") return shown(where) as ReadonlyArray<Node | string>
  const step = stepOf(id)
  const [link] = ident(id, step === undefined ? undefined : to("step", step))
  return [
    `${object.charAt(0).toUpperCase()}${object.slice(1)} `,
    link ?? id,
    rest.length === 0 ? "" : `, ${rest.join(" ")}`
  ]
}

const RUNGS = ["structure", "chain", "events", "thoughts", "projections", "receipts", "leases", "checkpoint"]

/** How far the verification is, from what it says of itself. */
const shareOf = (doing: string, before: number): number => {
  const [, at, of] = /event (\d+) of (\d+)/.exec(doing) ?? []
  if (at !== undefined && of !== undefined) return Math.max(before, 0.05 + (0.65 * Number(at)) / Number(of))
  const rung = RUNGS.findIndex((each) => doing.startsWith(each))
  return Math.max(before, rung <= 1 ? 0.02 : 0.65 + 0.05 * rung)
}

const tell = ({ doing, error, report }: VerifyLine): void => {
  if (report !== undefined) verdict = { state: "found", report }
  else if (error !== undefined) verdict = { state: "broken", message: error.message }
  else if (doing !== undefined) {
    verdict = { state: "busy", doing, share: shareOf(doing, verdict.state === "busy" ? verdict.share : 0) }
  }
  redraw()
}

/** Begins a verification, or ends the one that runs. */
export const verifyOrStop = async (): Promise<void> => {
  if (saved !== undefined) return
  if (running !== undefined) return running.abort()
  const before = verdict
  running = new AbortController()
  verdict = { state: "busy", doing: "beginning", share: 0 }
  redraw()
  try {
    await verifyLines(tell, running.signal)
    if (verdict.state === "busy") verdict = { state: "broken", message: "it ended without a verdict" }
  } catch (error) {
    verdict = running.signal.aborted
      ? before
      : { state: "broken", message: error instanceof Error ? error.message : String(error) }
  } finally {
    running = undefined
    redraw()
  }
}

/** The newest event that this page has heard of, whichever view was drawn at which moment. */
let newest = 0

/** What stands in the bar on every view. */
const sealText = (): readonly [style: string, text: string] => {
  if (verdict.state === "busy") return ["busy", `verifying ${Math.round(verdict.share * 100)} %`]
  if (verdict.state === "broken") return ["fail", "not verified"]
  if (verdict.state === "never") return ["", "not verified"]
  const { report } = verdict
  if (report.verdict === "FAIL") return ["fail", "FAIL"]
  return ["pass", report.head.position < newest ? `PASS to event ${number(report.head.position)}` : "PASS"]
}

export const drawSeal = (position: number): void => {
  newest = Math.max(newest, position)
  const [style, text] = sealText()
  const seal = byId("seal")
  seal.className = `seal ${style}`
  seal.textContent = text
}

interface Words {
  readonly style: string
  readonly title: string
  readonly says: ReadonlyArray<Node | string>
  readonly share: number
}

const passWords = ({ head }: VerificationReport, { as_of, stuck }: Overview): Words => {
  const more = as_of.position - head.position
  const grown = more > 0 ? ` ${many(more, "event")} since then: not yet checked.` : ""
  const late =
    stuck.leases.length === 0
      ? ""
      : ` ${stuck.leases.length === 1 ? "One lease is" : `${stuck.leases.length} leases are`} past the end, see Stuck; the record itself is sound.`
  const title = more > 0 ? `PASS to event ${number(head.position)}` : "PASS"
  return {
    style: "pass",
    title,
    says: [`Every event, row and receipt up to event ${number(head.position)} agrees.${grown}${late}`],
    share: 1
  }
}

const failWords = (report: VerificationReport): Words => {
  const [first] = ordered(report.findings)
  const others = report.findings.length + report.findings_left_off - 1
  return {
    style: "fail",
    title: "FAIL",
    says:
      first === undefined
        ? ["It does not verify."]
        : [
            h("b", {}, ...placeOf(first.where)),
            ": ",
            ...(shown(first.message) as ReadonlyArray<Node | string>),
            others > 0 ? ` And ${many(others, "more finding", "more findings")}.` : ""
          ],
    share: 0.6
  }
}

const wordsOf = (overview: Overview): Words => {
  if (verdict.state === "busy") {
    return { style: "busy", title: "Verifying", says: [verdict.doing], share: verdict.share }
  }
  if (verdict.state === "found") {
    return verdict.report.verdict === "PASS" ? passWords(verdict.report, overview) : failWords(verdict.report)
  }
  if (verdict.state === "broken") {
    return { style: "fail", title: "Not verified", says: [verdict.message], share: 0 }
  }
  const events = many(overview.as_of.position, "event")
  return {
    style: "",
    title: "Not verified yet",
    says: [`Nothing here has been checked by this page. Verifying reads all ${events}.`],
    share: 0
  }
}

const button = (): HTMLElement | false => {
  if (saved !== undefined) return false
  const label = verdict.state === "busy" ? "Stop" : verdict.state === "found" ? "Verify again" : "Verify"
  const style = verdict.state === "never" ? "button main" : "button"
  return h("button", { class: style, type: "button", id: "verify", click: () => void verifyOrStop() }, label)
}

const findingRows = ({ findings, findings_left_off }: VerificationReport): ReadonlyArray<HTMLElement> => [
  table(
    "Findings",
    ["What", "Code", "Finding"],
    ordered(findings).map((finding) =>
      row(
        [
          cell("first", ...placeOf(finding.where)),
          cell("top", h("code", {}, finding.code)),
          cell("wide", shown(finding.message))
        ],
        ""
      )
    )
  ),
  ...(findings_left_off > 0
    ? [h("p", { class: "none" }, `${number(findings_left_off)} more are not listed.`)]
    : []),
  note(
    [
      "Copy this file before any program touches it, then compare it with a backup: ",
      h("code", {}, "cortex cassette diff"),
      " says where the two part."
    ],
    true
  )
]

const facts = ({ as_of, checkpoint, file, ledger_id }: Overview): HTMLElement => {
  const fact = (title: string, ...content: ReadonlyArray<Node | string>) =>
    h("div", {}, h("dt", {}, title), h("dd", {}, ...content))
  const small = (text: string) => h("small", {}, h("br"), ...shown(text))
  const head = fact(
    "Head",
    `event ${number(as_of.position)} `,
    h("span", { class: "mono dim", title: as_of.hash }, as_of.hash.slice(0, 8)),
    small(as_of.time === null ? "no event yet" : `${clock(as_of.time)} UTC`)
  )
  const signer = checkpoint?.signers.map(short).join(", ") ?? ""
  const trust =
    checkpoint?.is_trusted === true ? " (trusted)" : checkpoint?.is_trusted === false ? " (not trusted)" : ""
  return h(
    "dl",
    { class: "facts" },
    head,
    checkpoint === null
      ? fact("Newest checkpoint", "none named", small("cortex inspect --checkpoint FILE"))
      : fact(
          "Newest checkpoint",
          `over ${many(checkpoint.size, "event")}`,
          small(`signed by ${signer}${trust}`)
        ),
    checkpoint === null
      ? fact("Since the checkpoint", "–")
      : fact(
          "Since the checkpoint",
          many(Math.max(0, as_of.position - checkpoint.size), "event"),
          small(checkpoint.covers_until === null ? "" : `it covers up to ${clock(checkpoint.covers_until)}`)
        ),
    fact("Ledger", ...(ledger_id === null ? ["unknown"] : ident(ledger_id)), small(file))
  )
}

/** The first part of the overview; `onChange` is called whenever it must be drawn again. */
export const verdictPart = (overview: Overview, onChange: () => void): ReadonlyArray<HTMLElement> => {
  redraw = onChange
  drawSeal(overview.as_of.position)
  const { fault } = overview
  if (fault !== null && verdict.state === "never") {
    verdict = { state: "broken", message: `${fault.code} ${fault.where}: ${fault.message}` }
  }
  const { says, share, style, title } = wordsOf(overview)
  const isFailed = verdict.state === "found" && verdict.report.verdict === "FAIL"
  return [
    h(
      "div",
      { class: `verdict ${style}` },
      drawTape(share, isFailed),
      h("h1", {}, title),
      h("div", { class: "acts" }, reportCopier(), commandCopier("cassette", "verify", "--pure"), button()),
      h(
        "p",
        {},
        ...says,
        verdict.state === "busy" && h("progress", { value: share, max: 1, "aria-label": "Verification" })
      )
    ),
    ...(verdict.state === "found" && isFailed ? findingRows(verdict.report) : []),
    ...(overview.checkpoint?.fault == null
      ? []
      : [note([`The checkpoint: `, ...shown(overview.checkpoint.fault)], true)]),
    ...(saved === undefined ? [] : [note([savedText()])]),
    facts(overview)
  ]
}

const savedText = (): string =>
  `Saved ${saved?.saved_at.replace("T", " ").slice(0, 16) ?? ""} UTC. The verdict is the one at that time.${
    saved?.left_off == null ? "" : ` ${saved.left_off}`
  }`

/** Copies the whole report of the verification that was made. */
const reportCopier = (): HTMLElement | false => {
  if (verdict.state !== "found") return false
  const { report } = verdict
  return copier("copy report", "the whole report", () => JSON.stringify(report, null, 2))
}
