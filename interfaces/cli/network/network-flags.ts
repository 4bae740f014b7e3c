// Flags that the commands of the network share, and where its configuration lies.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { Host } from "../../shared/host.ts"
import { absolutePath, Root, rootFolder } from "../../shared/options.ts"

/** The configuration file by its own path. */
export const Config = GlobalFlag.Setting("config")({
  flag: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.optional,
    Flag.withDescription("the configuration (default: CORTEX/network.yaml below the root)")
  )
})

/** Who asks and saves. */
export const Agent = GlobalFlag.Setting("agent")({
  flag: Flag.String("agent").pipe(
    Flag.withMetavar("ID"),
    Flag.optional,
    Flag.withDescription("the agent whose own memories are seen and saved too (default: CORTEX_AGENT)")
  )
})

/** Flags of every command that opens the network. */
export const networkFlags = [Config, Agent] as const

/** The agent that the flags or the environment name, for the network to judge. */
export const agentOption = Effect.gen(function* () {
  const { env } = yield* Host
  const agent = Option.getOrUndefined(yield* Agent) ?? (env["CORTEX_AGENT"] || undefined)
  return { agent }
})

/** Ids of cassettes as arguments. */
export const cassettesArgument = Argument.String("cassettes").pipe(
  Argument.withDescription("ids of cassettes (default: all)"),
  Argument.variadic()
)

/** The configuration file, the agent that asks and, where it was named, the root folder that bounds what it may name. */
export const networkFileOptions = Effect.gen(function* () {
  const config = yield* Config
  const root = yield* rootFolder
  const agent = yield* agentOption
  if (Option.isNone(config)) return { file: join(root, "CORTEX", "network.yaml"), root, ...agent }
  const file = yield* absolutePath("--config", config.value)
  return Option.isSome(yield* Root) ? { file, root, ...agent } : { file, ...agent }
})
