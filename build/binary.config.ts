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

/** What never imports the driver of the database. */
const WITHOUT_DATABASE =
  /\/(?:(?:node_modules|domain|application|infrastructure\/(?:files|hashing|keys)|interfaces\/shared)\/|interfaces\/cli\/[^/]+$)/

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
    // What most groups of commands share is two files: a command that opens a ledger loads thirty files instead of 130. The driver of the
    // database is in neither the first, which help loads, too, nor in what judges Node's version before anything else is loaded.
    codeSplitting: {
      groups: [
        { name: "node-version", test: /\/interfaces\/cli\/node-version\.ts$/, priority: 3 },
        { name: "shared", test: WITHOUT_DATABASE, minShareCount: 10, priority: 2 },
        { name: "stores", test: /\/infrastructure\//, minShareCount: 10, priority: 1 }
      ]
    }
  },
  plugins: [thirdPartyLicences(bundled), inspectorPage, ownHook]
})
