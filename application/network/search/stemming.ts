// The port to a stemmer of words. Documents and questions must be stemmed by one rule, so an implementation is part of
// what an index means: another one needs the index to be made again.
import * as Context from "effect/Context"
import type { Stem } from "../../../domain/network/ranking/words.ts"

export class Stemming extends Context.Service<Stemming, { readonly stem: Stem }>()(
  "cortex-cassette/application/Stemming"
) {}
