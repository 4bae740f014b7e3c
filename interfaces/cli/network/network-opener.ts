// Opens the network of the configuration that the flags name for a server's life. It is loaded when it is first needed,
// so that the server answers early.
import * as Effect from "effect/Effect"
import { networkFileOptions } from "./network-flags.ts"

/** What opens the network, whenever it is run, until the scope ends; changes of its configuration are followed. */
export const networkOpener = Effect.gen(function* () {
  const services = yield* Effect.context<
    Effect.Services<typeof networkFileOptions> | Effect.Services<ReturnType<typeof open>>
  >()
  return Effect.provideContext(Effect.flatMap(networkFileOptions, open), services)
})

const open = Effect.fnUntraced(function* (options: Effect.Success<typeof networkFileOptions>) {
  const { openNetwork } = yield* Effect.promise(
    () => import("../../../infrastructure/network/network-files.ts")
  )
  return yield* openNetwork({ ...options, watch: true })
})
