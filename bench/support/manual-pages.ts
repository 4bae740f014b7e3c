// Manual pages as documents with a question each: the one line that a page says of itself is what a person would look
// for, and it is taken out of the page. Only pages written with the `man` macros are read, and only as far as words go.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { DebianPackage } from "./debian-packages.ts"

/**
 * Packages of many hands and kinds. Left out are families whose pages are near copies of one another by the hundred
 * (git-*, the manuals of Perl's modules, OpenSSL's functions): which of equal pages comes first says nothing.
 */
export const MANUAL_PACKAGES: ReadonlyArray<DebianPackage> = [
  [
    "pool/main/m/manpages/manpages_6.03-2_all.deb",
    "efa1ba4cd19ad7baeae959c9209a7eb74be2ebb858bcabb412597bfc9f588c91"
  ],
  [
    "pool/main/m/manpages/manpages-dev_6.03-2_all.deb",
    "96f55cb5e26231d5567c89b692bced63825a14a2d5bd18fdf16ea2ed44eb9838"
  ],
  [
    "pool/main/c/coreutils/coreutils_9.1-1_amd64.deb",
    "61038f857e346e8500adf53a2a0a20859f4d3a3b51570cc876b153a2d51a3091"
  ],
  [
    "pool/main/u/util-linux/util-linux_2.38.1-5+deb12u3_amd64.deb",
    "8eb241ff24b2e1ee9c0373f4fc9bc728b85bf5966c1496154df7da01c0e42f34"
  ],
  [
    "pool/main/p/procps/procps_4.0.2-3_amd64.deb",
    "d9d0e75779cb79af869181f17b93c5c263a2b89cac6a0193c436160a4483ddc1"
  ],
  [
    "pool/main/f/findutils/findutils_4.9.0-4_amd64.deb",
    "5dd86bd0af4aa73f067dfd6b8339dd868f2dd84056aa79db29d1206d4fbc5e04"
  ],
  [
    "pool/main/d/diffutils/diffutils_3.8-4_amd64.deb",
    "8bdfedc14c1035e3750e9f055ac9c1ecd9b5d05d9e6dc6466c4e9237eef407dd"
  ],
  [
    "pool/main/i/iproute2/iproute2_6.1.0-3_amd64.deb",
    "1204b29e916e836267096d0b9d778106752f821ebde0d281539008b4386d9070"
  ],
  [
    "pool/main/g/groff/groff_1.22.4-10_amd64.deb",
    "c30d56dad45ab7fe8d57f545381203297b23fabd7475e5acd133f15dcaef2355"
  ],
  [
    "pool/main/t/tcl8.6/tcl8.6-doc_8.6.13+dfsg-2_all.deb",
    "e6468aa726a0d77f3e61ae4714bcf7c4c4ddd02828388977f765ffdda4935876"
  ],
  [
    "pool/main/n/ncurses/ncurses-doc_6.4-4_all.deb",
    "c3dab5d65bfd62a7468daacf59c63f15fb627fe4e4d105b54777a370d0c6df77"
  ],
  [
    "pool/main/s/systemd/systemd_252.39-1~deb12u2_amd64.deb",
    "286f879c537bfba92e59d580c075ad20ab49020244c79634656850a306dd462b"
  ],
  [
    "pool/main/d/dpkg/dpkg_1.21.23_amd64.deb",
    "f89e9f8d1a4a50ade44be3ed59a6ec55460fce205d2f8520c5c492137c5b609b"
  ],
  [
    "pool/main/d/dpkg/dpkg-dev_1.21.23_all.deb",
    "43547075395dbe9290e6a5f34e9ba93aa5dcf7dfc5698c3d30cc3c85e5f7e3de"
  ],
  [
    "pool/main/d/debhelper/debhelper_13.11.4_all.deb",
    "bd764e98a9204a4b6b2d9e7b461c50fdae579314309804baff93d21e0498b64b"
  ],
  [
    "pool/main/i/iptables/iptables_1.8.9-2_amd64.deb",
    "2928d3ca6ca8a3dc3f423f6752822b1f3614a5ba609ff7806bcba4449ffe90e1"
  ],
  [
    "pool/main/a/alsa-utils/alsa-utils_1.2.8-1_amd64.deb",
    "fb24eb1a318228b974efbef726190dd90c6106a208814a3ee8f5d69b91ee0ba4"
  ],
  [
    "pool/main/x/x11-utils/x11-utils_7.7+5_amd64.deb",
    "64f2b157e6f00590c4d8633333bfdc890b66fc26ad61ce5e6f1fddcd0527ed1d"
  ],
  [
    "pool/main/b/btrfs-progs/btrfs-progs_6.2-1+deb12u2_amd64.deb",
    "8b9f4223957c327ea355c66876014f8a0ba6c74964c237266442fffa02fbf62e"
  ]
]

/** A text with the question that it is the answer to. */
export interface KnownItem {
  readonly path: string
  readonly text: string
  readonly question: string
}

const escapes: ReadonlyArray<readonly [RegExp, string]> = [
  [/\\["#].*$/g, ""],
  [/\\f(?:\[[^\]]*\]|\(..|.)/g, ""],
  [/\\s[-+]?\d+/g, ""],
  [/\\[*n](?:\[[^\]]*\]|\(..|.)/g, "'"],
  [/\\\((?:aq|oq|cq)/g, "'"],
  [/\\\((?:em|en)/g, "-"],
  [/\\(?:\(..|\[[^\]]*\])/g, " "],
  [/\\-/g, "-"],
  [/\\[/,&|^:%]/g, ""],
  [/\\[wmh]'[^']*'/g, ""],
  [/\\e/g, "\\"],
  [/\\(.)/g, "$1"]
]

const plain = (roff: string): string =>
  escapes.reduce((text, [pattern, by]) => text.replaceAll(pattern, by), roff)

const argumentsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "")

const headings = { SH: "#", SS: "##" } as const
/** Macros whose arguments stand as text: alternating fonts are joined, one font is set off by blanks. */
const alternating = /^(?:BR|RB|BI|IB|IR|RI)$/
const oneFont = /^(?:B|I|SM|SB|IP|TP|HP|PP|P|LP|OP|TQ)$/
const breaking = /^(?:PP|P|LP|IP|TP|HP|TQ|sp|br)$/

const lineOf = (line: string): string => {
  const [, macro = "", rest = ""] = /^[.'][ \t]*(\S*)[ \t]*(.*)$/.exec(line) ?? []
  if (!/^[.']/.test(line)) return plain(line)
  if (macro === "SH" || macro === "SS") return `\n${headings[macro]} ${plain(argumentsOf(rest).join(" "))}\n`
  if (alternating.test(macro)) return plain(argumentsOf(rest).join(""))
  const text = oneFont.test(macro) && macro !== "TP" ? plain(argumentsOf(rest).join(" ")) : ""
  return breaking.test(macro) ? `\n${text}` : text
}

/** The text of a page as Markdown, without comments and without macros that say nothing. */
const markdownOf = (roff: string): string =>
  roff
    .replaceAll(/^\.(?:de|ig)\b[^]*?^\.\.$/gm, "")
    .split("\n")
    .filter((line) => !/^[.']\s*\\"/.test(line) && !line.startsWith("'\\\""))
    .map(lineOf)
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")

const nameSection = /(^|\n)# NAME\s*\n([\s\S]*?)(?=\n#)/i

/** The page without its NAME section, and what that section says of it; undefined for pages that are no pages. */
const itemOf = (path: string, roff: string): KnownItem | undefined => {
  if (/^\.so /m.test(roff) || /^\.Dd/m.test(roff)) return undefined
  const text = markdownOf(roff)
  const [, , section = ""] = nameSection.exec(text) ?? []
  const question = section.replaceAll(/\s+/g, " ").split(/ -+ /).slice(1).join(" ").trim()
  const rest = text.replace(nameSection, "$1").trim()
  return question.split(" ").length < 2 || rest.length < 400 ? undefined : { path, text: rest, question }
}

/** The pages below an unpacked folder, in the order of their paths; pages that say the same of themselves are left out. */
export const manualPages = (folder: string): ReadonlyArray<KnownItem> => {
  const root = join(folder, "usr", "share", "man")
  const items = readdirSync(root)
    .filter((section) => /^man\d$/.test(section))
    .toSorted()
    .flatMap((section) =>
      readdirSync(join(root, section), { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith(".gz"))
        .map(({ name }) => `${section}/${name.slice(0, -".gz".length)}`)
        .toSorted()
    )
    .flatMap((path) => {
      const bytes = gunzipSync(readFileSync(join(root, `${path}.gz`)))
      const item = itemOf(`${path}.md`, new TextDecoder().decode(bytes))
      return item === undefined ? [] : [item]
    })
  const times = Map.groupBy(items, ({ question }) => question.toLowerCase())
  return items.filter(({ question }) => times.get(question.toLowerCase())?.length === 1)
}
