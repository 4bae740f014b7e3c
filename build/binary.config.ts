// Bundles the `cortex` binary: one file per lazily loaded group instead of some six hundred modules, which is the
// difference between a third of a second and most of one at every start. Only better-sqlite3, which is native code,
// stays outside. `page.ts` bundles the page of `cortex inspect`, `hook.ts` what `cortex hook` starts, `library.config.ts` the entry points of the library.
import { defineConfig } from "rolldown"
import { type Bundled, thirdPartyLicences } from "./licences.ts"
import { ownHook } from "./hook.ts"
import { inspectorPage } from "./page.ts"

/** The packages whose code ends up in the bundle, by the package that brings them; their licences go with it. */
export const bundled: Bundled = {
  ".": [
    "effect",
    "gpt-tokenizer",
    "markdown-it",
    "picomatch",
    "stemmer",
    "yaml",
    "@lezer/common",
    "@lezer/javascript",
    "@lezer/python"
  ],
  "@lezer/javascript": ["@lezer/highlight", "@lezer/lr"],
  "markdown-it": ["entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"]
}

export default defineConfig({
  // The children that read external cassettes start beside the command.
  input: {
    bin: "interfaces/cli/bin.ts",
    "cassette-child": "infrastructure/network/children/cassette-child.ts",
    // The thread that cuts documents for an index run.
    "cutting-thread": "infrastructure/network/writing/cutting-thread.ts",
    // The child that verifies a ledger for the page of `cortex inspect`.
    "verifying-child": "interfaces/inspect/verifying-child.ts"
  },
  platform: "node",
  external: [/^node:/, "better-sqlite3"],
  output: {
    dir: "dist/bin/cortex",
    format: "esm",
    chunkFileNames: "[name]-[hash].js",
    minify: false,
    // What most groups of commands share is one file: a command that opens a ledger loads thirty files instead of 130.
    codeSplitting: { groups: [{ name: "shared", minShareCount: 10 }] }
  },
  plugins: [thirdPartyLicences(bundled), inspectorPage, ownHook]
})
