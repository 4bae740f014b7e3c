// Where every group of commands is loaded from: one line here, one in command-names.ts and one folder beside. A group is
// loaded only when its name stands among the arguments, so that no command pays for another's database.
import type { CommandGroup } from "./command-group.ts"
import type { GroupName } from "./command-names.ts"

/** Loads a group. */
export const loadGroup: { readonly [Name in GroupName]: () => Promise<CommandGroup<Name>> } = {
  bundle: async () => (await import("./bundle/group.ts")).bundleGroup,
  dossier: async () => (await import("./dossier/group.ts")).dossierGroup,
  cassette: async () => (await import("./cassette/group.ts")).cassetteGroup,
  show: async () => (await import("./history/show.ts")).showCommand,
  timeline: async () => (await import("./history/timeline.ts")).timelineCommand,
  workflow: async () => (await import("./workflow/group.ts")).workflowGroup,
  key: async () => (await import("./key/group.ts")).keyGroup,
  thought: async () => (await import("./thought/group.ts")).thoughtGroup,
  index: async () => (await import("./corpus/index-command.ts")).indexCommand,
  section: async () => (await import("./corpus/section-group.ts")).sectionGroup,
  symbol: async () => (await import("./corpus/symbol-group.ts")).symbolGroup,
  resolve: async () => (await import("./corpus/resolve-command.ts")).resolveCommand,
  cache: async () => (await import("./corpus/cache-group.ts")).cacheGroup,
  plan: async () => (await import("./corpus/plan-command.ts")).planCommand,
  network: async () => (await import("./network/group.ts")).networkGroup,
  memory: async () => (await import("./memory/group.ts")).memoryGroup,
  work: async () => (await import("./corpus/work-command.ts")).workCommand,
  run: async () => (await import("./corpus/run-command.ts")).runCommand,
  mcp: async () => (await import("./mcp.ts")).mcpCommand,
  inspect: async () => (await import("./inspect/inspect-command.ts")).inspectCommand,
  hook: async () => (await import("./hook/group.ts")).hookGroup,
  doctor: async () => (await import("./doctor/doctor.ts")).doctorCommand,
  completions: async () => (await import("./completions/completions-command.ts")).completionsCommand
}
