// Opens the network of the configuration that the flags name for a server's life. It is loaded when it is first needed,
// so that the server answers early.
import * as Effect from "effect/Effect"
import { networkFileOptions } from "./network-flags.ts"

const open = Effect.fnUntraced(function* () {
  const options = yield* networkFileOptions
  const { openNetwork } = yield* Effect.promise(() => import("../../embedding/network-files.ts"))
  return yield* openNetwork({ ...options, watch: true })
})

/** What opens the network, whenever it is run, until the scope ends; its configuration is followed. */
export const networkOpener = Effect.gen(function* () {
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof open>>>()
  return Effect.provideContext(open(), services)
})
