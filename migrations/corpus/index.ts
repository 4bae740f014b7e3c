/**
 * Every version of the corpus database, oldest first; it has a history of its own, apart from the ledger's. Programs
 * run and check the snapshots beside these builders, so that no later Kysely can change what a database looks like.
 */
import type { Migration } from "../statements.ts"
import { corpus } from "./0001-corpus.ts"

/** The migrations of the corpus database in the order in which they are applied. */
export const corpusMigrations: ReadonlyArray<Migration> = [corpus]
