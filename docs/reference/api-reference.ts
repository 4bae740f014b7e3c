// The reference of the library as Markdown, a page for each entry point: every exported name with its comment, its signature and its
// examples. Nothing of a member is written here: a text that is wrong is mended beside the code.
import {
  type Declaration,
  type EntryPoint,
  type Member,
  entryPoints,
  publicMembers,
  fileComment
} from "./public-members.ts"
import { signatureOf } from "./signature.ts"

/** Where the format behind a part of the domain is specified. */
const SPECIFICATIONS: Readonly<Record<string, string>> = {
  bundles: "bundles.md",
  canonical: "ledger.md",
  corpus: "corpus.md",
  dossiers: "dossiers.md",
  evidence: "ledger.md",
  ledger: "ledger.md",
  network: "network.md",
  "ledger/thoughts": "thoughts.md",
  workflow: "workflow.md"
}

/** A name with its value and its type, when both have it. */
export interface Entry {
  readonly name: string
  readonly declarations: ReadonlyArray<Declaration>
  readonly members: ReadonlyArray<Member>
}

/** The names of a list of members, each once. */
export const entriesOf = (members: ReadonlyArray<Member>): ReadonlyArray<Entry> =>
  [...Map.groupBy(members, ({ name }) => name)].map(([name, same]) => ({
    name,
    declarations: [...new Map(same.map(({ declaration }) => [declaration.text, declaration])).values()],
    members: same.flatMap((member) => member.members)
  }))

/** The comment of a name: of its value, else of its type. */
export const docOf = ({ declarations }: Entry): string =>
  declarations.map(({ doc }) => doc).find((doc) => doc !== "") ?? ""

interface Comment {
  readonly text: string
  readonly examples: ReadonlyArray<string>
}

/** A comment in its text and its examples. */
export const commentOf = (doc: string): Comment => {
  const [text = "", ...examples] = doc.split(/^@example\s*/m)
  return { text: text.trim(), examples: examples.map((example) => example.trim()) }
}

/** Prose in which no sign is taken for a tag. */
const prose = (text: string): string =>
  text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;").replaceAll("{{", "{ {") : part))
    .join("`")

const block = (text: string): string => ["```ts", text, "```"].join("\n")

type Kind = "service" | "function" | "error" | "value" | "type"

const HEADINGS: { readonly [K in Kind]: string } = {
  service: "Services",
  function: "Functions",
  value: "Values and Schemas",
  error: "Errors",
  type: "Types"
}

const kindOf = ({ declarations, members }: Entry): Kind => {
  const text = declarations.map((declaration) => declaration.text).join("\n")
  if (members.length > 0) return "service"
  if (/extends (?:Schema\.)?TaggedError|Schema\.TaggedError</.test(text)) return "error"
  if (/^(?:abstract )?class /.test(text)) return "service"
  if (/^(?:async )?function |^const \w+ =\s*(?:async )?(?:<|\()|^const \w+ = \S+\(function\*/.test(text))
    return "function"
  return /^const /m.test(text) ? (/^const \w+ = \{/.test(text) ? "service" : "value") : "type"
}

const partOf = (file: string): string => file.split("/")[1] ?? ""

const whereOf = ({ declarations: [declaration] }: Entry): string => {
  const file = declaration?.file ?? ""
  const [, folder] = /^domain\/(.+)\/[^/]+$/.exec(file) ?? []
  const specification =
    folder === undefined ? undefined : (SPECIFICATIONS[folder] ?? SPECIFICATIONS[partOf(file)])
  const format = specification === undefined ? "" : `; format: [${specification}](../spec/${specification})`
  return `Source: \`${file}\`${format}.`
}

const sectionOf = (entry: Entry, level: number, within = ""): string => {
  const { examples, text } = commentOf(docOf(entry))
  const signatures = entry.declarations.filter((declaration) => declaration.text !== "")
  return [
    `${"#".repeat(level)} ${within}${entry.name}`,
    ...(text === "" ? [] : [prose(text)]),
    ...signatures.map((declaration) => block(signatureOf(declaration.text))),
    ...examples.flatMap((example) => ["Example:", block(example)]),
    whereOf(entry),
    ...entriesOf(entry.members).map((below) => sectionOf(below, level + 1, `${entry.name}.`))
  ].join("\n\n")
}

/** The name of a page's file, without its folder. */
const pageName = (entryPoint: string): string => `${entryPoint.replaceAll("/", "-")}.md`

const anchorOf = (name: string): string => name.toLowerCase()

const link = (page: string, { name }: Entry): string => `[\`${name}\`](${page}#${anchorOf(name)})`

const NOTICE =
  "<!-- Made of the sources' comments by docs/reference/api-reference.test.ts (UPDATE_SNAPSHOT=1), and never edited by hand. -->"

const keyOf = ({ declarations: [declaration], name }: Entry): string =>
  `${declaration?.file}#${declaration?.name}#${name}`

interface Page {
  readonly name: string
  readonly text: string
}

const cell = (text: string): string => prose(text).replaceAll("|", "\\|")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

/** The first sentence of a comment, in one line. */
const summaryOf = (entry: Entry): string =>
  commentOf(docOf(entry))
    .text.replaceAll(/\s+/g, " ")
    .replace(/(?<=[^.][.;]) .*$/, "")
    .replace(/;$/, ".")

const sectionsOf = (kind: Kind, entries: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const ordered = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rows = ordered.map((entry) => [link("", entry), cell(summaryOf(entry))])
  const sections = ordered.map((entry) => sectionOf(entry, 3))
  return [`## ${HEADINGS[kind]}`, table(["name", "what it is"], rows)].concat(sections)
}

const pageOf = (point: EntryPoint, homes: Map<string, string>): Page => {
  const page = pageName(point.name)
  const entries = entriesOf(publicMembers(point))
  const own = entries.filter((entry) => (homes.get(keyOf(entry)) ?? page) === page)
  for (const entry of own) homes.set(keyOf(entry), page)
  const groups = Map.groupBy(own, kindOf)
  const kinds = (Object.keys(HEADINGS) as ReadonlyArray<Kind>).filter((kind) => groups.has(kind))
  const elsewhere = entries.flatMap((entry) => {
    const home = homes.get(keyOf(entry)) ?? page
    return home === page ? [] : [[link(home, entry), cell(summaryOf(entry))]]
  })
  const others =
    elsewhere.length === 0 ? [] : ["## Also exported here", table(["name", "what it is"], elsewhere)]
  const sections = kinds.flatMap((kind) => sectionsOf(kind, groups.get(kind) ?? []))
  const parts = [`# ${point.name}`, NOTICE, prose(fileComment(point.file))].concat(sections, others)
  return { name: page, text: `${parts.join("\n\n")}\n` }
}

/** The page that lists the others. */
const contentsPage = (points: ReadonlyArray<EntryPoint>): Page => {
  const rows = points.map(({ file, name }) => [
    `[${name}](${pageName(name)})`,
    cell(fileComment(file).replaceAll("\n", " "))
  ])
  const parts = [
    "# The library",
    NOTICE,
    "What a program imports from `cortex-cassette`, by entry point. A name that several entry points export is described once. [errors.md](../errors.md) says what to do about each error.",
    table(["entry point", "what it is"], rows)
  ]
  return { name: "README.md", text: `${parts.join("\n\n")}\n` }
}

/** All pages. */
export const apiReference = (): ReadonlyArray<Page> => {
  const homes = new Map<string, string>()
  const points = entryPoints()
  return [contentsPage(points)].concat(points.map((point) => pageOf(point, homes)))
}
