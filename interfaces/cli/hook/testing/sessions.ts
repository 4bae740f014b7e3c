// Recorded sessions: what each host's documentation says it sends, written by hand, one JSON a line. They stand with the examples.
import { readFileSync } from "node:fs"
import { type HookName, type HostName, hostForm } from "../../../../domain/agents/hosts.ts"

export interface Told {
  readonly hook: HookName
  readonly json: string
}

/** What a host told its hooks in the recorded session, in order. */
export const recordedSession = (host: HostName): ReadonlyArray<Told> =>
  readFileSync(new URL(`../../../../examples/agents/${host}/session.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n")
    .map((json) => {
      const { hook_event_name } = JSON.parse(json) as { readonly hook_event_name: string }
      const hook = hostForm(host).events[hook_event_name]
      if (hook === undefined) throw new Error(`${host} has no event ${hook_event_name}`)
      return { hook, json }
    })
