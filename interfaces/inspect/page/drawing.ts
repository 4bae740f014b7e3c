// A run's time: a bar from claim to end, a thin line for the lease, dots where a step waits. A long silence is folded to a band that
// says how long it was. Every fact stands in the tables too.
import type { Bar, Drawing, Lane } from "../../../domain/inspection/answers.ts"
import { to } from "./copying.ts"
import { clipped, h, plain, s } from "./dom.ts"
import { clock, duration, many, number, stateOf, stepNumber } from "./words.ts"

const LANE = 17
const TOP = 24

/** How much of the width a folded silence takes. */
const FOLD = 34

/** A silence is folded where it takes more than this part of the whole. */
const FOLDED_FROM = 0.25

interface Piece {
  readonly from: number
  readonly to: number
  readonly isFold: boolean
}

/** The time in pieces: work, and silences that are folded. */
const piecesOf = ({ lanes, length }: Drawing): ReadonlyArray<Piece> => {
  const edges = lanes
    .flatMap(({ bars }) => bars.map(({ from, to }) => ({ from, to: Math.max(from, to) })))
    .sort((left, right) => left.from - right.from)
  const pieces: Array<Piece> = []
  let at = 0
  let end = 0
  const silence = (until: number) => {
    if (until - end <= length * FOLDED_FROM || length < 60_000) return
    const margin = length / 100
    pieces.push(
      { from: at, to: end + margin, isFold: false },
      { from: end + margin, to: until, isFold: true }
    )
    at = until
  }
  for (const { from, to } of edges) {
    silence(from)
    end = Math.max(end, to)
  }
  silence(length)
  if (at < length) pieces.push({ from: at, to: length, isFold: false })
  return pieces
}

/** Where a time stands in the drawing. */
type Scale = (millis: number) => number

const scaleOf = (pieces: ReadonlyArray<Piece>, left: number, width: number): Scale => {
  const folds = pieces.filter(({ isFold }) => isFold).length
  const open = pieces.reduce((sum, { from, isFold, to }) => sum + (isFold ? 0 : to - from), 0)
  const perMilli = (width - folds * FOLD) / Math.max(1, open)
  return (millis) => {
    let x = left
    for (const { from, isFold, to } of pieces) {
      const part = Math.min(Math.max(millis - from, 0), to - from)
      x += isFold ? (part / Math.max(1, to - from)) * FOLD : part * perMilli
    }
    return x
  }
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400].map(
  (seconds) => seconds * 1_000
)

const ticksOf = (pieces: ReadonlyArray<Piece>, start: number, width: number): ReadonlyArray<number> => {
  const open = pieces.reduce((sum, { from, isFold, to }) => sum + (isFold ? 0 : to - from), 0)
  const step = STEPS.find((each) => (each / Math.max(1, open)) * width > 90) ?? Math.max(86_400_000, open / 4)
  const first = Math.ceil(start / step) * step - start
  const all: Array<number> = []
  for (let at = first; pieces.some(({ to }) => at <= to) && all.length < 60; at += step) all.push(at)
  const isOpen = (at: number) => pieces.some(({ from, isFold, to }) => !isFold && at >= from && at <= to)
  return all.filter(isOpen)
}

const barShapes = (bar: Bar, x: Scale, y: number): ReadonlyArray<SVGElement> => {
  const [style, word] = stateOf(bar.how)
  const isFilled = style === "done" || style === "failed" || style === "leased"
  const from = x(bar.from)
  const width = Math.max(style === "done" ? 1.5 : 3, x(bar.to) - from)
  const says = `${word}, ${duration(bar.to - bar.from)}${bar.count > 1 ? `, ${number(bar.count)} attempts` : ""}`
  const size = isFilled ? { x: from, width } : { x: from + 0.5, width: Math.max(2, width - 1) }
  const height = isFilled ? 6 : 5
  const shapes = [s("rect", { class: `b-${style}`, ...size, y: y + 4, height, rx: 1 }, s("title", {}, says))]
  if (bar.lease !== null && bar.lease > bar.from) {
    const end = x(bar.lease)
    shapes.push(s("path", { class: "lease", d: `M${from} ${y + 12.5}H${end}v-3` }))
  }
  if (style === "failed") {
    const cross = from + width + 5
    shapes.push(s("path", { class: "cross", d: `M${cross - 2.5} ${y + 4.5}l5 5m0-5l-5 5` }))
  }
  return shapes
}

const laneShapes = (
  lane: Lane,
  index: number,
  x: Scale,
  left: number,
  length: number
): ReadonlyArray<SVGElement> => {
  const y = TOP + index * LANE
  const isNarrow = left < 60
  const label = s(
    "text",
    { class: "label", x: 0, y: y + 11 },
    isNarrow
      ? lane.step_id === null
        ? number(index + 1)
        : stepNumber(lane.step_id)
      : clipped(plain(lane.label), 24)
  )
  const named =
    lane.step_id === null ? label : s("a", { href: to("step", lane.step_id), tabindex: -1 }, label)
  const order = [...lane.bars].sort(
    (one, other) => Number(one.how !== "SUCCESS") - Number(other.how !== "SUCCESS")
  )
  const waits =
    lane.waits_from === null
      ? []
      : [s("path", { class: "wait", d: `M${x(lane.waits_from)} ${y + 7.5}H${x(length)}` })]
  return [named, ...waits, ...order.flatMap((bar) => barShapes(bar, x, y))]
}

const keyOf = ({ lanes }: Drawing): HTMLElement => {
  const states = new Set(lanes.flatMap(({ bars }) => bars.map(({ how }) => how)))
  const isWaiting = lanes.some(({ waits_from }) => waits_from !== null)
  const sample = (picture: SVGElement, word: string) =>
    h("span", {}, s("svg", { viewBox: "0 0 22 9", "aria-hidden": "true" }, picture), word)
  return h(
    "div",
    { class: "key" },
    [...states].map((how) => {
      const [style, word] = stateOf(how)
      return sample(s("rect", { class: `b-${style}`, x: 0.5, y: 1.5, width: 20, height: 6, rx: 1 }), word)
    }),
    isWaiting && sample(s("path", { class: "wait", d: "M0 5H22" }), "waiting")
  )
}

const picture = (drawing: Drawing, width: number): SVGElement => {
  const { by, from, lanes, length } = drawing
  const left = width < 560 ? 32 : 190
  const right = width - 10
  const start = Date.parse(from)
  const pieces = piecesOf(drawing)
  const x = scaleOf(pieces, left, right - left)
  const bottom = TOP + lanes.length * LANE + 4
  const marks = ticksOf(pieces, start, right - left).map((at) => [
    s("path", { class: "grid", d: `M${x(at)} ${TOP - 4}V${bottom}` }),
    x(at) < right - 40 &&
      s("text", { x: x(at), y: 11 }, clock(new Date(start + at).toISOString(), length < 120_000 ? 19 : 16))
  ])
  const folds = pieces
    .filter(({ isFold }) => isFold)
    .map((piece) => [
      s("rect", { class: "fold", x: x(piece.from), y: TOP - 4, width: FOLD, height: bottom - TOP + 4 }),
      s("text", { x: x(piece.from) + FOLD / 2, y: TOP + 4, "text-anchor": "middle" }, "⋯"),
      s("title", {}, `${duration(piece.to - piece.from)} without work`)
    ])
  const says = `${many(lanes.length, by)} over ${duration(length)} from ${clock(from)} UTC`
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${bottom}`, height: bottom, role: "img", "aria-label": says },
    marks,
    folds,
    lanes.map((lane, index) => laneShapes(lane, index, x, left, length)),
    s("path", { class: "now", d: `M${x(length)} ${TOP - 4}V${bottom}` })
  )
}

const foldsText = (drawing: Drawing): string =>
  piecesOf(drawing)
    .filter(({ isFold }) => isFold)
    .map(({ from, to }) => `⋯ ${duration(to - from)} without work`)
    .join(", ")

/** The drawing; it is made again when the width of its place changes. */
export const drawingPart = (drawing: Drawing | null): HTMLElement => {
  const place = h("div", { class: "drawing" })
  if (
    drawing === null ||
    drawing.lanes.every(({ bars, waits_from }) => bars.length === 0 && waits_from === null)
  ) {
    return place
  }
  let drawn = 0
  const draw = () => {
    const width = Math.round(place.clientWidth)
    if (width === 0 || width === drawn) return
    drawn = width
    const notes = [
      foldsText(drawing),
      drawing.left_off > 0 ? `${number(drawing.left_off)} more are not drawn` : "",
      drawing.is_whole ? "" : "only the newest 20 000 events are drawn"
    ].filter((text) => text !== "")
    place.replaceChildren(
      picture(drawing, width),
      h(
        "div",
        { class: "line" },
        keyOf(drawing),
        notes.length > 0 && h("small", { class: "dim" }, notes.join(" · "))
      )
    )
  }
  new ResizeObserver(() => requestAnimationFrame(draw)).observe(place)
  return place
}
