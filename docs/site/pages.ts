// The pages of the site, made of the repository's documents. Links between documents stay links; those to pictures and schemas lead to
// copies; those to other files of the repository, which the site has not, become plain text.
import { posix } from "node:path"

/** What the site has of the repository. */
export interface Repository {
  /** Paths of documents, as Markdown. */
  readonly documents: ReadonlyArray<string>
  /** Paths of programs that are shown as they are. */
  readonly programs: ReadonlyArray<string>
  /** Paths of pictures and schemas, which are copied. */
  readonly assets: ReadonlyArray<string>
  readonly read: (path: string) => string
}

/** The page of a document: `README.md` is the index of its folder. */
const pageOf = (path: string): string => path.replace(/(^|\/)README\.md$/, "$1index.md")

/** HTML that the documents use; any other `<` is a sign of the text. */
const TAGS = /<(?!\/?(?:a|br|img|picture|source|details|summary|kbd|sub|sup)\b|!--|https?:)/g

interface Links {
  readonly pages: ReadonlyMap<string, string>
  readonly assets: ReadonlySet<string>
  readonly folders: ReadonlyMap<string, string>
}

const linksOf = ({ assets, documents, programs }: Repository): Links => {
  const pages = new Map(documents.map((path) => [path, pageOf(path)]))
  for (const path of programs) pages.set(path, `${path}.md`)
  const folders = new Map<string, string>()
  for (const [path, page] of pages) if (pageOf(path) !== path) folders.set(posix.dirname(path), page)
  for (const path of programs) {
    const folder = posix.dirname(path)
    if (!folders.has(folder)) folders.set(folder, `${folder}/index.md`)
  }
  return { pages, assets: new Set(assets), folders }
}

const relative = (from: string, to: string): string => {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith(".") ? path : `./${path}`
}

/** A link of a document as the site has it; undefined where it leads to nothing of the site. */
const linked = (links: Links, document: string, link: string): string | undefined => {
  if (/^[a-z]+:/.test(link) || link.startsWith("#")) return link
  const [path = "", anchor] = link.split("#")
  const target = posix.join(posix.dirname(document), path).replace(/\/$/, "")
  const page = links.pages.get(target) ?? links.folders.get(target)
  const end = anchor === undefined ? "" : `#${anchor}`
  if (page !== undefined) return `${relative(pageOf(document), page)}${end}`
  return links.assets.has(target) ? `/${target}` : undefined
}

const rewritten = (links: Links, document: string, prose: string): string =>
  prose
    .replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g,
      (_all, picture: string, text: string, link: string) => {
        const to = linked(links, document, link)
        return to === undefined ? text : `${picture}[${text}](${to})`
      }
    )
    .replaceAll(
      /(<(?:img|source)[^>]* (?:src|srcset)=")([^"]+)(")/g,
      (_all, before: string, link: string, after: string) =>
        `${before}${linked(links, document, link) ?? link}${after}`
    )

/** Text outside of code spans, in which no sign is taken for a tag or for an expression. */
const safe = (line: string): string =>
  line
    .split(/(`+[^`]*`+)/)
    .map((part, index) =>
      index % 2 === 0 ? part.replaceAll(TAGS, "&lt;").replaceAll("{{", "&#123;&#123;") : part
    )
    .join("")

/** A document as the site takes it. */
const documentPage = (links: Links, path: string, text: string): string =>
  text
    .split(/^(```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? safe(rewritten(links, path, part)) : part))
    .join("")

const LANGUAGES: Readonly<Record<string, string>> = {
  ".jsonc": "jsonc",
  ".mjs": "js",
  ".py": "python",
  ".ts": "ts"
}

const programPage = (path: string, text: string): string =>
  `# ${path}\n\n\`\`\`\`${LANGUAGES[posix.extname(path)] ?? ""}\n${text.trimEnd()}\n\`\`\`\`\n`

const folderPage = (folder: string, programs: ReadonlyArray<string>): string => {
  const below = programs.filter((path) => path.startsWith(`${folder}/`))
  const lines = below.map(
    (path) => `- [${path.slice(folder.length + 1)}](./${path.slice(folder.length + 1)}.md)`
  )
  return `# ${folder}\n\n${lines.join("\n")}\n`
}

/** All pages by their paths. */
export const sitePages = (repository: Repository): ReadonlyMap<string, string> => {
  const { documents, programs, read } = repository
  const links = linksOf(repository)
  const pages = new Map<string, string>()
  for (const path of documents) pages.set(pageOf(path), documentPage(links, path, read(path)))
  for (const path of programs) pages.set(`${path}.md`, programPage(path, read(path)))
  for (const [folder, page] of links.folders)
    if (!pages.has(page)) pages.set(page, folderPage(folder, programs))
  return pages
}

interface NavigationLink {
  readonly text: string
  readonly link: string
}

interface NavigationGroup {
  readonly text: string
  readonly collapsed?: boolean
  readonly items: ReadonlyArray<NavigationLink>
}

const titleOf = (page: string): string => (/^# (.+)$/m.exec(page)?.[1] ?? "").replaceAll("`", "")

/** Which group of the navigation a page is in: the first whose form its path has. */
const GROUPS: ReadonlyArray<readonly [string, RegExp, boolean]> = [
  ["Start", /^index\.md$|^docs\/(faq|glossary|platforms|versioning)\.md$/, false],
  ["Guides", /^docs\/guides\//, false],
  ["Reference", /^docs\/(cli|errors|api\/index)\.md$|^docs\/api\//, true],
  ["Formats", /^docs\/spec\//, true],
  ["Examples", /^examples\//, true],
  ["Guarantees and speed", /^docs\/guarantees\/|^bench\//, true],
  ["Decisions", /^ARCHITECTURE\.md$|^docs\/decisions\//, true],
  ["The project", /./, true]
]

/** The navigation: groups by the reader's jobs; in a group in the order in which the front page names them at its end. */
export const navigation = (pages: ReadonlyMap<string, string>): ReadonlyArray<NavigationGroup> => {
  const front = pages.get("index.md") ?? ""
  const place = (page: string): number => {
    const at = front.lastIndexOf(`](./${page}`)
    return page === "index.md" ? -1 : at === -1 ? front.length : at
  }
  const groups = Map.groupBy(pages.keys(), (page) => GROUPS.find(([, form]) => form.test(page))?.[0] ?? "")
  return GROUPS.flatMap(([text, , collapsed]) => {
    const of = (groups.get(text) ?? []).toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
    const items = of.map((page) => ({
      text: titleOf(pages.get(page) ?? "") || page,
      link: `/${page.replace(/(index)?\.md$/, "")}`
    }))
    return items.length === 0 ? [] : [{ text, collapsed, items }]
  })
}
