// The released versions of the corpus database's schema: what it is made of and compared with.
import { schema } from "../../migrations/snapshots/corpus/0001.ts"
import { schemaStep, type SchemaStep } from "../sqlite/checks/schema-steps.ts"

/** Newest version of the corpus database that this program reads and writes. */
export const CORPUS_VERSION = 1

/** Where a corpus database records its versions. */
export const CORPUS_VERSIONS = { table: "corpus_migrations" } as const

let steps: ReadonlyArray<SchemaStep> | undefined

/** Every released version, oldest first. */
export const corpusSteps = (): ReadonlyArray<SchemaStep> => (steps ??= [schemaStep(1, "0001-corpus", schema)])
