// The drawing of a cassette that is the progress of a verification.
import { s } from "./dom.ts"

const reel = (share: number): number => Math.sqrt(6.5 ** 2 + share * (17 ** 2 - 6.5 ** 2))

/** The tape moves from the left reel to the right one: all left is not verified, all right is PASS, a cut is FAIL. */
export const drawTape = (share: number, isCut: boolean): SVGElement =>
  s(
    "svg",
    { class: "tape", viewBox: "0 0 112 72", "aria-hidden": "true" },
    s("rect", { class: "line", x: 1, y: 1, width: 110, height: 70, rx: 7 }),
    s("path", { class: "line", d: "M12 12h88" }),
    [34, 78].map((x, index) => [
      s("circle", { class: "reel", cx: x, cy: 40, r: reel(index === 0 ? 1 - share : share) }),
      s("circle", { class: "line", cx: x, cy: 40, r: 5 })
    ]),
    s("path", { class: "band", d: isCut ? "M34 62h17l3-4M78 62H61l-3 4" : "M34 62h44" })
  )
