// Bundles the page of `cortex inspect` as one file: script and style stand inside the document, so that it loads nothing. It goes
// beside the command.
import { readFileSync } from "node:fs"
import { defineConfig, type Plugin } from "rolldown"

const folder = "interfaces/inspect/page"

/** Largest page (bytes): it is sent whole before anything is seen. */
const MAX_PAGE_BYTES = 60_000

/** Style without its layout. */
const narrowed = (css: string): string =>
  css
    .replaceAll(/\s*\n\s*/g, "")
    .replaceAll(/\s*([{};])\s*/g, "$1")
    .replaceAll(/;}/g, "}")

/** Puts the script and the style into the document, which is all that is written. */
const onePage: Plugin = {
  name: "one-page",
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).flatMap((file) => (file.type === "chunk" ? [file] : []))
    const [chunk] = chunks
    if (chunk === undefined || chunks.length !== 1) throw new Error("the page must be one script")
    if (chunk.moduleIds.some((id) => id.includes("node_modules"))) {
      throw new Error("the page may hold no package: its licence would be missing")
    }
    const style = narrowed(readFileSync(`${folder}/page.css`, "utf8"))
    // Functions, since a dollar sign in a replacement text would mean something.
    const page = readFileSync(`${folder}/page.html`, "utf8")
      .replace("<style></style>", () => `<style>${style}</style>`)
      .replace("<script></script>", () => `<script>${chunk.code.trim()}</script>`)
    if (Buffer.byteLength(page) > MAX_PAGE_BYTES)
      throw new Error(`the page has ${Buffer.byteLength(page)} bytes`)
    delete bundle[chunk.fileName]
    this.emitFile({ type: "asset", fileName: "page.html", source: page })
  }
}

export default defineConfig({
  input: { page: `${folder}/main.ts` },
  platform: "browser",
  output: { dir: "dist/bin/cortex", format: "iife", minify: true },
  plugins: [onePage]
})
