// Random ids from Node's own generator of UUIDs.
import { randomUUID } from "node:crypto"
import * as Layer from "effect/Layer"
import { RandomIds } from "../../../application/ledger/thoughts/random-ids.ts"

/** Node's UUIDs of version 4 under the port of random ids. */
export const nodeRandomIdsLayer: Layer.Layer<RandomIds> = Layer.succeed(RandomIds, { uuid: randomUUID })
