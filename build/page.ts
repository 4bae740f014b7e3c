// Bundles the page of `cortex inspect` as one file: script and style stand inside the document, so that it loads nothing. It goes
// beside the command.
import { readFileSync } from "node:fs"
import { type Plugin, rolldown } from "rolldown"

const folder = "interfaces/inspect/page"

/** Largest page (bytes): it is sent whole before anything is seen. */
const MAX_PAGE_BYTES = 60_000

/** Style without its layout. */
const narrowed = (css: string): string =>
  css
    .replaceAll(/\s*\n\s*/g, "")
    .replaceAll(/\s*([{};])\s*/g, "$1")
    .replaceAll(/;}/g, "}")

/** The page's script, which may hold no package: its licence would be missing. */
const script = async (): Promise<string> => {
  const build = await rolldown({ input: `${folder}/main.ts`, platform: "browser" })
  try {
    const { output } = await build.generate({ format: "iife", minify: true })
    const [chunk] = output
    if (output.length !== 1) throw new Error("the page must be one script")
    const foreign = chunk.moduleIds.find((id) => id.includes("node_modules"))
    if (foreign !== undefined) throw new Error(`the page may hold no package: ${foreign}`)
    return chunk.code.trim()
  } finally {
    await build.close()
  }
}

/** Puts the script and the style into the document, beside the files of a bundle. */
export const inspectorPage: Plugin = {
  name: "inspector-page",
  async generateBundle() {
    const style = narrowed(readFileSync(`${folder}/page.css`, "utf8"))
    const code = await script()
    // Functions, since a dollar sign in a replacement text would mean something.
    const page = readFileSync(`${folder}/page.html`, "utf8")
      .replace("<style></style>", () => `<style>${style}</style>`)
      .replace("<script></script>", () => `<script>${code}</script>`)
    const bytes = Buffer.byteLength(page)
    if (bytes > MAX_PAGE_BYTES) throw new Error(`the page has ${bytes} bytes, and may have ${MAX_PAGE_BYTES}`)
    this.emitFile({ type: "asset", fileName: "page.html", source: page })
  }
}
