// Flags that the commands of the network share, and where its configuration lies.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { Host } from "../host.ts"
import { absolutePath, Root, rootFolder } from "../options.ts"

/** The configuration file by its own path. */
export const Config = GlobalFlag.Setting("config")({
  flag: Flag.String("config").pipe(
    Flag.withMetavar("FILE"),
    Flag.optional,
    Flag.withDescription("the configuration (default: CORTEX/network.yaml below the root)")
  )
})

/** Ids of cassettes as arguments. */
export const cassettesArgument = Argument.String("cassettes").pipe(
  Argument.withDescription("ids of cassettes (default: all)"),
  Argument.variadic()
)

/** The agent that a command speaks for. */
export const agentFlag = Flag.String("agent").pipe(
  Flag.withMetavar("ID"),
  Flag.optional,
  Flag.withDescription("the agent that asks (default: CORTEX_AGENT, else nobody)")
)

/** The agent of `agentFlag`, of CORTEX_AGENT, or null. */
export const callerAgent = (given: Option.Option<string>) =>
  Host.use(({ env }) => Effect.succeed(Option.getOrElse(given, () => env["CORTEX_AGENT"]) || null))

/** The configuration file and, where it was named, the root folder that bounds what it may name. */
export const networkFileOptions = Effect.gen(function* () {
  const config = yield* Config
  const root = yield* rootFolder
  if (Option.isNone(config)) return { file: join(root, "CORTEX", "network.yaml"), root }
  const file = yield* absolutePath("--config", config.value)
  return Option.isSome(yield* Root) ? { file, root } : { file }
})
