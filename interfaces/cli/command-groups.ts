// Every group of subcommands: one line here and one folder beside. A group is loaded only when its name stands among
// the arguments, so that no command pays for another's database; the others are known by name and summary.
import type * as Command from "effect/cli/Command"
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import type { CommandFailure } from "./failures.ts"
import type { Host } from "./host.ts"

/** What every command may use. */
type CommandServices = Host | GlobalFlag.Setting.Identifier<"format"> | GlobalFlag.Setting.Identifier<"root">

/** A group of commands; whatever one may fail with must have an exit code. */
export type CommandGroup<Name extends string> = Command.Command<
  Name,
  never,
  {},
  CommandFailure,
  CommandServices
>

export type GroupName =
  | "bundle"
  | "cassette"
  | "key"
  | "thought"
  | "index"
  | "section"
  | "symbol"
  | "resolve"
  | "cache"
  | "plan"
  | "network"
  | "memory"
  | "work"
  | "run"
  | "mcp"
  | "doctor"
  | "completions"

interface LazyGroup<Name extends string> {
  readonly summary: string
  /** True for a command without subcommands. */
  readonly isOne: boolean
  /** The flags, beside --root, that say where its databases are. */
  readonly place: ReadonlyArray<"db" | "config">
  readonly load: () => Promise<CommandGroup<Name>>
}

/** Groups by name. */
export const commandGroups: { readonly [Name in GroupName]: LazyGroup<Name> } = {
  bundle: {
    summary: "bundles of finished jobs: build, verify, show, diff, pack, replay, sign",
    isOne: false,
    place: [],
    load: async () => (await import("./bundle/group.ts")).bundleGroup
  },
  cassette: {
    summary: "the work ledger: post, claim, complete, verify",
    isOne: false,
    place: ["db"],
    load: async () => (await import("./cassette/group.ts")).cassetteGroup
  },
  key: {
    summary: "signing keys and trust files: generate, trust",
    isOne: false,
    place: [],
    load: async () => (await import("./key/group.ts")).keyGroup
  },
  thought: {
    summary: "thought records: record, list, show, verify",
    isOne: false,
    place: ["db"],
    load: async () => (await import("./thought/group.ts")).thoughtGroup
  },
  index: {
    summary: "index the texts below the root, for sections and symbols",
    isOne: true,
    place: [],
    load: async () => (await import("./corpus/index-command.ts")).indexCommand
  },
  section: {
    summary: "sections of indexed texts: list, show",
    isOne: false,
    place: [],
    load: async () => (await import("./corpus/section-group.ts")).sectionGroup
  },
  symbol: {
    summary: "names for files and headings: add, list, show, check, remove, resolve",
    isOne: false,
    place: [],
    load: async () => (await import("./corpus/symbol-group.ts")).symbolGroup
  },
  resolve: {
    summary: "print a bounded slice of a text",
    isOne: true,
    place: [],
    load: async () => (await import("./corpus/resolve-command.ts")).resolveCommand
  },
  cache: {
    summary: "what was expanded: stats, verify, repair",
    isOne: false,
    place: [],
    load: async () => (await import("./corpus/cache-group.ts")).cacheGroup
  },
  plan: {
    summary: "plan a job of reading from a request",
    isOne: true,
    place: ["db"],
    load: async () => (await import("./corpus/plan-command.ts")).planCommand
  },
  network: {
    summary: "search many small databases as one: init, index, query, status, verify, migrate, watch",
    isOne: false,
    place: ["config"],
    load: async () => (await import("./network/group.ts")).networkGroup
  },
  memory: {
    summary: "what agents remember: save, query, recall, neighbors, forget",
    isOne: false,
    place: ["config"],
    load: async () => (await import("./memory/group.ts")).memoryGroup
  },
  work: {
    summary: "work the reading steps of a run",
    isOne: true,
    place: ["db"],
    load: async () => (await import("./corpus/work-command.ts")).workCommand
  },
  run: {
    summary: "plan, work and bundle in one go",
    isOne: true,
    place: ["db"],
    load: async () => (await import("./corpus/run-command.ts")).runCommand
  },
  mcp: {
    summary: "serve agents over standard input and output (MCP)",
    isOne: true,
    place: ["db", "config"],
    load: async () => (await import("./mcp.ts")).mcpCommand
  },
  doctor: {
    summary: "the state of everything here, and what to do about it",
    isOne: true,
    place: ["db", "config"],
    load: async () => (await import("./doctor/doctor.ts")).doctorCommand
  },
  completions: {
    summary: "a script that completes cortex in bash, zsh or fish",
    isOne: true,
    place: [],
    load: async () => (await import("./completions/completions-command.ts")).completionsCommand
  }
}
