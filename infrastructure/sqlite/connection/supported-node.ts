// The first thing that every opening asks: whether this Node can run SQLite's driver at all.
import * as Effect from "effect/Effect"
import { UnsupportedNode } from "../../../domain/foundation/storage-errors.ts"
import { isNodeSupported, OLDEST_NODE } from "./node-version.ts"

/** Fails on a Node that the driver would crash; to be asked before a database is opened. */
export const supportedNode: Effect.Effect<void, UnsupportedNode> = Effect.suspend(() => {
  const version = process.versions.node
  return isNodeSupported(version) ? Effect.void : new UnsupportedNode({ version, oldest: OLDEST_NODE })
})
