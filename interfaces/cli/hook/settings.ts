// What a host's settings must hold so that it calls the hook: `cortex hook settings` prints it to be pasted. Every call of a tool is told
// before and after, and every end of a turn.
import { type HostName, hostForm } from "../../../domain/agents/hosts.ts"
import type { JsonObject, JsonValue } from "../../../domain/canonical/json.ts"

interface Place {
  /** Where the host reads its settings, below the project's folder. */
  readonly file: string
  /** The root folder, as a shell that the host starts knows it. */
  readonly root: string
  /** How long the host waits for a hook, in its own unit. */
  readonly timeout: number
}

const TIMEOUT_SECONDS = 60

const places: { readonly [Name in HostName]: Place } = {
  "claude-code": {
    file: ".claude/settings.json",
    root: '"$CLAUDE_PROJECT_DIR"',
    timeout: TIMEOUT_SECONDS
  },
  codex: {
    file: ".codex/hooks.json",
    root: ".",
    timeout: TIMEOUT_SECONDS
  },
  cursor: { file: ".cursor/hooks.json", root: ".", timeout: TIMEOUT_SECONDS },
  "gemini-cli": {
    file: ".gemini/settings.json",
    root: '"$GEMINI_PROJECT_DIR"',
    timeout: TIMEOUT_SECONDS * 1_000
  }
}

/** Where a host reads its settings, below the project's folder. */
export const settingsFile = (host: HostName): string => places[host].file

/** Events of tools are matched by the tool's name: all of them. */
const matched = (event: string, hook: JsonObject): JsonValue =>
  /Tool/.test(event) ? [{ matcher: "*", hooks: [hook] }] : [{ hooks: [hook] }]

/** The settings of a host; `flags` stand behind every command. */
export const hookSettings = (host: HostName, flags: string): JsonObject => {
  const { root, timeout } = places[host]
  const isCursor = host === "cursor"
  const hooks = Object.entries(hostForm(host).events).map(([event, hook]) => {
    const command = `cortex hook ${hook} --host ${host} --root ${root}${flags}`
    return [
      event,
      isCursor ? [{ command, timeout }] : matched(event, { type: "command", command, timeout })
    ] as const
  })
  return { ...(isCursor ? { version: 1 } : {}), hooks: Object.fromEntries(hooks) }
}
