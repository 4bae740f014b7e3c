// What every hub needs from this package: the stemmer that documents and questions share, and hashes.
import * as Layer from "effect/Layer"
import type { Hashing } from "../../application/foundation/hashing.ts"
import { Stemming } from "../../application/network/search/stemming.ts"
import { nodeHashingLayer } from "../hashing/node-hashing.ts"
import { englishStem } from "./index/english-stems.ts"

export const hubPartsLayer: Layer.Layer<Hashing | Stemming> = Layer.merge(
  Layer.succeed(Stemming, { stem: englishStem }),
  nodeHashingLayer
)
