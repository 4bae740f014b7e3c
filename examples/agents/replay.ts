// Plays a recorded session to the hooks that a host's settings name, as the host would, and shows what the ledger of a project's folder
// has then: node replay.ts HOST FOLDER. `cortex` must be found on the PATH.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

interface Hook {
  readonly command: string
}

interface Settings {
  readonly hooks: Readonly<
    Record<string, ReadonlyArray<Hook | { readonly hooks: ReadonlyArray<Hook> }> | undefined>
  >
}

const [host = "claude-code", project = "."] = process.argv.slice(2)

const read = (name: string): string => readFileSync(join(import.meta.dirname, host, name), "utf8")

/** What hosts tell the commands that they start. */
const environment = { ...process.env, CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project }

const run = (command: string, input: string): string => {
  const ran = spawnSync("sh", ["-c", command], { cwd: project, env: environment, input, encoding: "utf8" })
  if (ran.status !== 0 || ran.stderr !== "") throw new Error(`${command}: ${ran.stderr || ran.status}`)
  return ran.stdout
}

const { hooks } = JSON.parse(read("settings.json")) as Settings
for (const line of read("session.jsonl").trimEnd().split("\n")) {
  const { hook_event_name: event } = JSON.parse(line) as { readonly hook_event_name: string }
  for (const each of (hooks[event] ?? []).flatMap((one) => ("hooks" in one ? one.hooks : [one]))) {
    run(each.command, line)
  }
}
process.stdout.write(run("cortex timeline", ""))
