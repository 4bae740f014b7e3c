// The cassette network as tools reach it: opened at the first call that needs it and kept open for the server's life,
// with changes of its configuration taken over. Only `cortex network init` makes a configuration.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NetworkShape } from "../../application/network/hub.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"
import type { UnsupportedNode } from "../../domain/foundation/storage-errors.ts"
import type { ConfigurationMissing, InvalidConfiguration } from "../../domain/network/errors.ts"

/** Why the network of a configuration cannot be opened. */
export type NetworkOpenError = ConfigurationMissing | InvalidConfiguration | InvalidInput | UnsupportedNode

export class NetworkAccess extends Context.Service<
  NetworkAccess,
  {
    readonly open: Effect.Effect<NetworkShape, NetworkOpenError>
  }
>()("cortex-cassette/interfaces/mcp/NetworkAccess") {}

/** The open network. */
export const openNetwork = NetworkAccess.use(({ open }) => open)
