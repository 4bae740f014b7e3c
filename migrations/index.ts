/**
 * Every version of the schema, oldest first. Programs run and check the snapshots beside this file, not these
 * builders, so that no later version of Kysely can change what a database looks like.
 */
import { ledger } from "./0002-ledger/index.ts"
import type { Migration } from "./statements.ts"

export type { Migration }

/** The migrations in the order in which they are applied. */
export const migrations: ReadonlyArray<Migration> = [ledger]
