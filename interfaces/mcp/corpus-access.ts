// The corpus as tools reach it: the index below the root, opened at the first call that needs it and kept open for the
// server's life. Only `cortex index` makes one.
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CorpusShape } from "../../application/corpus/corpus.ts"
import type { ExpansionCache } from "../../application/corpus/expansion-cache.ts"
import type { CorpusOpenError } from "../../domain/corpus/errors.ts"
import type { InvalidInput } from "../../domain/foundation/errors.ts"

/** An open corpus with the expansions in it. */
export interface OpenedCorpus {
  readonly corpus: CorpusShape
  readonly expansions: ExpansionCache["Service"]
}

export class CorpusAccess extends Context.Service<
  CorpusAccess,
  {
    readonly open: Effect.Effect<OpenedCorpus, CorpusOpenError | InvalidInput>
  }
>()("cortex-cassette/interfaces/mcp/CorpusAccess") {}
