// The page as one file: its style and its script stand inside, and a policy names their hashes, so that a browser runs nothing
// else and loads nothing. The bundler puts the file beside the program.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The page without data, and the policy under which its own style and script run. */
export interface PageFile {
  readonly html: string
  readonly policy: string
}

/** Where the bundler puts the page: beside the bundle that this file is part of. */
export const PAGE_FILE = "page.html"

const hashesOf = (html: string, element: "script" | "style"): string =>
  [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))]
    .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
    .join(" ")

/** What a page may do: run its own script and style; `more` is what it may do beside that. */
const policyOf = (html: string, more: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashesOf(html, "script")}`,
    `style-src ${hashesOf(html, "style")}`,
    "base-uri 'none'",
    "form-action 'none'",
    more
  ]
    .filter((rule) => rule !== "")
    .join("; ")

export const pageFrom = (html: string): PageFile => ({
  html,
  policy: policyOf(html, "connect-src 'self'; frame-ancestors 'none'")
})

/** The page that was bundled with this program. */
export const bundledPage = (): PageFile =>
  pageFrom(readFileSync(join(import.meta.dirname, PAGE_FILE), "utf8"))

/** Text of JSON as it may stand inside a script element. */
const inScript = (json: string): string =>
  json.replaceAll("<", "\\u003c").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

/** The page with answers inside, for a file that is opened from a disk. */
export const savedPage = ({ html }: PageFile, answers: object): string => {
  const policy = `<meta http-equiv="Content-Security-Policy" content="${policyOf(html, "")}">`
  const data = `<script type="application/json" id="saved">${inScript(JSON.stringify(answers))}</script>`
  // Functions, since a dollar sign in a replacement text would mean something.
  return html.replace("<head>", () => `<head>${policy}`).replace("<script>", () => `${data}<script>`)
}
