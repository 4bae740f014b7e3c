// WordNet's entries as documents with a question each: an entry's words and its definition are the text, and the first
// sentence that it gives as an example is the question. The texts are one line each, so hardly anything but the words
// themselves and their rarity can tell them apart.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { DebianPackage } from "./debian-packages.ts"
import type { KnownItem } from "./manual-pages.ts"

/** WordNet 3.0. */
export const WORDNET_PACKAGE: DebianPackage = [
  "pool/main/w/wordnet/wordnet-base_3.0-37_all.deb",
  "61060d960f9ada8fa120872312eccd3ecebfbab8c4579e4f5a74e1cf67620752"
]

const entry = /^(\d{8}) \d\d ([nvasr]) ([0-9a-f]{2}) (.*) \| (.*)$/

const itemOf = (line: string): KnownItem | undefined => {
  const [, offset = "", kind = "", count = "", fields = "", gloss = ""] = entry.exec(line) ?? []
  const example = /"([^"]+)"/.exec(gloss)?.[1]
  if (example === undefined) return undefined
  const names = fields.split(" ").filter((_, index) => index % 2 === 0)
  const words = names.slice(0, Number.parseInt(count, 16)).map((word) => word.replaceAll("_", " "))
  const definition = gloss.slice(0, gloss.indexOf('"')).replace(/[;\s]+$/, "")
  return { path: `${kind}/${offset}.txt`, text: `${words.join(", ")}: ${definition}`, question: example }
}

/** The entries with an example below an unpacked folder, in the order of WordNet's files. */
export const glosses = (folder: string): ReadonlyArray<KnownItem> =>
  ["noun", "verb", "adj", "adv"].flatMap((kind) =>
    readFileSync(join(folder, "usr", "share", "wordnet", `data.${kind}`), "utf8")
      .split("\n")
      .flatMap((line) => {
        const item = itemOf(line)
        return item === undefined ? [] : [item]
      })
  )
