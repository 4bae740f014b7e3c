// What completes the key of a resource's address: runs and jobs of the ledger, symbols of the corpus, folders below the
// root, cassettes of the network. Each looks at a bounded number of candidates and gives the first that begin with what
// was typed.
import { readdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ToolFailure } from "./failures.ts"
import { CorpusAccess } from "./corpus-access.ts"
import { LedgerAccess } from "./ledger-access.ts"
import { openNetwork } from "./network-access.ts"
import { pathInRoot } from "./root-folder.ts"
import type { ToolServices } from "./tools/tool.ts"

/** The first keys of a kind. */
export interface Keys {
  readonly values: ReadonlyArray<string>
  readonly hasMore: boolean
}

type KeysOf = (prefix: string) => Effect.Effect<Keys, ToolFailure, ToolServices>

/** Most values of one completion, as the protocol has it, and how many rows are looked at for them. */
const MAX_VALUES = 100
const MAX_ROWS = 10_000

export const NO_KEYS: Keys = { values: [], hasMore: false }

const beginning = (candidates: Iterable<string>, prefix: string): Keys => {
  const values = [...new Set(candidates)].filter((each) => each.startsWith(prefix)).sort()
  return { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES }
}

const existingLedger = Effect.map(
  LedgerAccess.use(({ open }) => open("existing")),
  ({ ledger }) => ledger
)

export const runKeys: KeysOf = (prefix) =>
  Effect.gen(function* () {
    const runs = yield* Stream.runCollect(Stream.take((yield* existingLedger).runStream, MAX_ROWS))
    return beginning(
      runs.map(({ run_id }) => run_id),
      prefix
    )
  })

export const jobKeys: KeysOf = (prefix) =>
  Effect.gen(function* () {
    const ledger = yield* existingLedger
    const jobs = new Set<string>()
    for (const { run_id } of yield* Stream.runCollect(Stream.take(ledger.runStream, MAX_ROWS))) {
      const states = yield* ledger.stepStates(run_id, { limit: MAX_ROWS })
      for (const { job_id } of states) if (job_id.startsWith(prefix)) jobs.add(job_id)
      if (jobs.size > MAX_VALUES) break
    }
    return beginning(jobs, prefix)
  })

export const symbolKeys: KeysOf = (prefix) =>
  Effect.gen(function* () {
    const { corpus } = yield* CorpusAccess.use(({ open }) => open)
    const symbols = yield* corpus.symbols({ limit: MAX_ROWS })
    return beginning(
      symbols.map(({ symbol_id }) => symbol_id),
      prefix
    )
  })

export const cassetteKeys: KeysOf = (prefix) =>
  Effect.gen(function* () {
    return beginning(yield* (yield* openNetwork).cassettes, prefix)
  })

/** Folders and packed bundles in the folder that the typed path is in. */
export const folderKeys: KeysOf = (prefix) =>
  Effect.gen(function* () {
    const parent = prefix.slice(0, prefix.lastIndexOf("/") + 1)
    const folder = yield* pathInRoot("path", parent === "" ? "." : parent)
    const entries = yield* Effect.try({
      try: () => readdirSync(folder, { withFileTypes: true }),
      catch: () => undefined
    }).pipe(Effect.orElseSucceed(() => []))
    const names = entries.filter((entry) => entry.isDirectory() || entry.name === "bundle.json")
    return beginning(
      names.map(({ name }) => join(parent, name)),
      prefix
    )
  })
