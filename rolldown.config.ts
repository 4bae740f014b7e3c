// Bundles the `cortex` binary: one file per lazily loaded group instead of some six hundred modules, which is the
// difference between a third of a second and most of one at every start. Only better-sqlite3, which is native code,
// stays outside. The library entry points are not bundled: they share `effect` with their host.
import { readFileSync } from "node:fs"
import { defineConfig } from "rolldown"

/** The packages whose code ends up in the bundle; their licences go with it. */
const bundled = ["effect", "kysely"]

const licences = bundled
  .map((name) => `${name}\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8")}`)
  .join(`\n${"-".repeat(72)}\n\n`)

export default defineConfig({
  input: "interfaces/cli/bin.ts",
  platform: "node",
  external: [/^node:/, "better-sqlite3"],
  // Two levels below dist/, like the sources below the repository, so that relative URLs of data files hold.
  output: { dir: "dist/bin/cortex", format: "esm", chunkFileNames: "[name]-[hash].js", minify: false },
  plugins: [
    {
      name: "third-party-licences",
      generateBundle() {
        this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENCES.txt", source: licences })
      }
    }
  ]
})
