// The options of `cortex hook`, and the command lines that settings hold, read without the command line's parser: loading that takes
// longer than recording a call. What is not plainly one of these is left to the parser, which says what is wrong with it.
import type { Bodies } from "../../../domain/agents/body.ts"
import { DEFAULT_CALL_TTL_SECONDS, type OnError } from "../../../domain/agents/call.ts"
import { type HookName, type HostName, hostNames } from "../../../domain/agents/hosts.ts"
import { MAX_TTL_SECONDS } from "../../../domain/ledger/limits.ts"
import type { LedgerFileOptions } from "../../embedding/hook-recording.ts"

/** How a hook is run. */
export interface HookOptions {
  readonly hook: HookName
  readonly host: HostName | undefined
  readonly onError: OnError
  readonly bodies: Bodies
  readonly leaseSeconds: number
  readonly timeoutSeconds: number
  readonly db: string | undefined
  readonly root: string | undefined
  readonly durability: LedgerFileOptions["durability"]
  readonly allowNetworkFs: boolean
}

const hookNames = ["pre", "post", "stop"] as const satisfies ReadonlyArray<HookName>

/** Hosts wait for the hook of a call for 60 seconds or longer. */
export const DEFAULT_TIMEOUT_SECONDS = 10
export const MAX_TIMEOUT_SECONDS = 50

export const onErrorRules = ["warn", "block"] as const satisfies ReadonlyArray<OnError>
const durabilities = ["full", "normal"] as const

/** What of a flag's value is understood: undefined refuses it. */
const oneOf =
  <const Value extends string>(values: ReadonlyArray<Value>) =>
  (text: string): Value | undefined =>
    values.find((value) => value === text)

const seconds =
  (most: number) =>
  (text: string): number | undefined =>
    /^[1-9][0-9]{0,5}$/.test(text) && Number(text) <= most ? Number(text) : undefined

const anyText = (text: string): string | undefined => (text.startsWith("-") ? undefined : text)

const valued = {
  "--host": oneOf(hostNames),
  "--on-error": oneOf(onErrorRules),
  "--lease": seconds(MAX_TTL_SECONDS),
  "--timeout": seconds(MAX_TIMEOUT_SECONDS),
  "--db": anyText,
  "--root": anyText,
  "--durability": oneOf(durabilities)
} as const

const switches = ["--bodies", "--allow-network-fs"] as const

type Valued = keyof typeof valued
type Given = { -readonly [Flag in Valued]?: Exclude<ReturnType<(typeof valued)[Flag]>, undefined> }

const isValued = (flag: string): flag is Valued => Object.hasOwn(valued, flag)

/** The flags as they are given, each once; undefined where one is not plainly understood. */
const readFlags = (
  words: ReadonlyArray<string>
): { readonly given: Given; readonly on: ReadonlySet<string> } | undefined => {
  const given: Record<string, string | number> = {}
  const on = new Set<string>()
  for (let index = 0; index < words.length; index++) {
    const flag = words[index] ?? ""
    if (Object.hasOwn(given, flag) || on.has(flag)) return undefined
    if (switches.some((each) => each === flag)) {
      on.add(flag)
      continue
    }
    index++
    const text = words[index]
    const value = isValued(flag) && text !== undefined ? valued[flag](text) : undefined
    if (value === undefined) return undefined
    given[flag] = value
  }
  return { given: given as Given, on }
}

/** The options that these arguments plainly give; undefined for all others, which the parser must read. */
export const quickHookOptions = (args: ReadonlyArray<string>): HookOptions | undefined => {
  const [group, name = "", ...words] = args
  const hook = oneOf(hookNames)(name)
  if (group !== "hook" || hook === undefined || args.some((arg) => arg.includes("\ufffd"))) return undefined
  const flags = readFlags(words)
  if (flags === undefined) return undefined
  const { given, on } = flags
  return {
    hook,
    host: given["--host"],
    onError: given["--on-error"] ?? "warn",
    bodies: on.has("--bodies") ? "keep" : "hash",
    leaseSeconds: given["--lease"] ?? DEFAULT_CALL_TTL_SECONDS,
    timeoutSeconds: given["--timeout"] ?? DEFAULT_TIMEOUT_SECONDS,
    db: given["--db"],
    root: given["--root"],
    durability: given["--durability"] ?? "full",
    allowNetworkFs: on.has("--allow-network-fs")
  }
}
