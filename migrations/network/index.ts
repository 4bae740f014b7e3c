/**
 * Every version of the cassettes of the network, oldest first; they have a history of their own. Programs run and
 * check the snapshots beside these builders, so that no later Kysely can change what a cassette looks like.
 */
import type { Migration } from "../statements.ts"
import { cassette } from "./0001-cassette.ts"

/** The migrations of a cassette in the order in which they are applied. */
export const networkMigrations: ReadonlyArray<Migration> = [cassette]
