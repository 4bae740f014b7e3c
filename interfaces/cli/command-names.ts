// The names of every group of commands, what help says of each and where its databases are. Advice and help know them
// without loading a command.

export type GroupName =
  | "bundle"
  | "dossier"
  | "cassette"
  | "show"
  | "timeline"
  | "workflow"
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
  | "inspect"
  | "hook"
  | "doctor"
  | "completions"

interface NamedGroup {
  readonly summary: string
  /** True for a command without subcommands. */
  readonly isOne: boolean
  /** The flags, beside --root, that say where its databases are. */
  readonly place: ReadonlyArray<"db" | "config">
}

/** Groups by name. */
export const namedGroups: { readonly [Name in GroupName]: NamedGroup } = {
  bundle: {
    summary: "bundles of finished jobs: build, verify, show, diff, pack, replay, sign",
    isOne: false,
    place: []
  },
  dossier: {
    summary: "the evidence of runs, jobs and tasks: export, verify, show",
    isOne: false,
    place: ["db"]
  },
  cassette: { summary: "the work ledger: post, claim, complete, verify", isOne: false, place: ["db"] },
  show: {
    summary: "one thing of the ledger, by its id, with all that belongs to it",
    isOne: true,
    place: ["db"]
  },
  timeline: { summary: "what happened, as sentences, of one run or of all", isOne: true, place: ["db"] },
  workflow: {
    summary: "executions of durable workflows: list, show, resume, interrupt",
    isOne: false,
    place: ["db"]
  },
  key: { summary: "signing keys and trust files: generate, trust", isOne: false, place: [] },
  thought: { summary: "thought records: record, list, show, verify", isOne: false, place: ["db"] },
  index: { summary: "index the texts below the root, for sections and symbols", isOne: true, place: [] },
  section: { summary: "sections of indexed texts: list, show", isOne: false, place: [] },
  symbol: {
    summary: "names for files and headings: add, list, show, check, remove, resolve",
    isOne: false,
    place: []
  },
  resolve: { summary: "print a bounded slice of a text", isOne: true, place: [] },
  cache: { summary: "what was expanded: stats, verify, repair", isOne: false, place: [] },
  plan: { summary: "plan a job of reading from a request", isOne: true, place: ["db"] },
  network: {
    summary: "search many small databases as one: init, index, query, status, verify, migrate, watch",
    isOne: false,
    place: ["config"]
  },
  memory: {
    summary: "what agents remember: save, query, recall, neighbors, forget",
    isOne: false,
    place: ["config"]
  },
  work: { summary: "work the reading steps of a run", isOne: true, place: ["db"] },
  run: { summary: "plan, work and bundle in one go", isOne: true, place: ["db"] },
  mcp: { summary: "serve agents over standard input and output (MCP)", isOne: true, place: ["db", "config"] },
  inspect: { summary: "look at a ledger in a browser", isOne: true, place: ["db", "config"] },
  hook: {
    summary: "record the calls of a coding agent: pre, post, stop, settings",
    isOne: false,
    place: ["db"]
  },
  doctor: {
    summary: "the state of everything here, and what to do about it",
    isOne: true,
    place: ["db", "config"]
  },
  completions: { summary: "a script that completes cortex in bash, zsh or fish", isOne: true, place: [] }
}

export const groupNames = Object.keys(namedGroups) as ReadonlyArray<GroupName>
