// Gathers the facts that checks are made of. A file that cannot be opened becomes a check with the error's own words.
import { statSync } from "node:fs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { nearestTimestamp } from "../../../domain/canonical/timestamp.ts"
import { DATABASE_VERSION } from "../../../domain/ledger/limits.ts"
import {
  companionsOf,
  failureIn,
  ledgerGrowth,
  leftLogFault,
  statedFacts
} from "../../embedding/inspection.ts"
import { Durability } from "../cassette/ledger-flags.ts"
import { withLedgerFile } from "../cassette/open-ledger.ts"
import {
  bytesText,
  companionChecks,
  type FileFacts,
  fileChecks,
  leftLogCheck,
  MAX_COUNTED_LEASES,
  ledgerChecks,
  missingCheck,
  type OpeningFailure,
  unusableCheck
} from "./checks.ts"
import type { Check } from "../../shared/doctor-report.ts"

/** True when anything stands at a path. */
export const stands = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // A path that cannot be followed is told by those who open it.
    return true
  }
}

const fileFacts = (name: string, file: string): FileFacts => ({ name, file, ...statedFacts(file) })

const DAY_MILLIS = 86_400_000

/** Turns every failure into one check. */
const orUnusable = <A extends ReadonlyArray<Check>, E extends OpeningFailure, R>(
  name: string,
  verify: string,
  program: Effect.Effect<A, E, R>
) =>
  Effect.catch(program, (error) => Effect.succeed<ReadonlyArray<Check>>([unusableCheck(name, error, verify)]))

/** Reads a file through SQLite or the file system; what either says against it is an error with a message. */
const attempt = <A>(file: string, work: () => A): Effect.Effect<A, OpeningFailure> =>
  Effect.try({ try: work, catch: (error) => failureIn(file, error) })

/** What is to be said of the tables that other tools keep in a database. */
const companionsIn = (name: string, file: string) =>
  attempt(file, () => companionChecks(name, companionsOf(file)))

const factsOfLedger = Effect.fnUntraced(function* (file: string) {
  const durability = yield* Durability
  const { fault, leases } = yield* withLedgerFile(file, "read", (ledger) =>
    Effect.gen(function* () {
      const [oldestLease] = yield* ledger.leases({ limit: 1 })
      const ended = yield* ledger.leases({ expired: true, limit: MAX_COUNTED_LEASES })
      const { workflowsOf } = yield* Effect.promise(() => import("../../embedding/workflows.ts"))
      const executions = ledger.fault === undefined ? yield* workflowsOf(ledger).counts : undefined
      return { fault: ledger.fault, leases: { oldestLease, expiredLeases: ended.length, executions } }
    })
  )
  const now = yield* Clock.currentTimeMillis
  const ago = (days: number) => nearestTimestamp(Math.max(0, now - days * DAY_MILLIS))
  return yield* attempt(file, () => ({
    ...ledgerGrowth(file, ago(1), ago(7)),
    supported: DATABASE_VERSION,
    durability,
    ...leases,
    fault: fault === undefined ? undefined : `${fault.code} at ${fault.where}: ${fault.message}`
  }))
})

/** A file that is not there is no fault, unless its log is. */
const absentCheck = (name: string, file: string, how: string): Check => {
  const left = leftLogFault(file)
  return left === undefined ? missingCheck(name, file, how) : leftLogCheck(name, left)
}

interface Database {
  readonly name: string
  readonly file: string
  readonly how: string
  readonly verify: string
}

/** What is to be said of a database's file, and of its content; of the file also where nothing in it can be read. */
const checksOfFile = <E extends OpeningFailure, R>(
  { file, how, name, verify }: Database,
  content: (place: FileFacts) => Effect.Effect<ReadonlyArray<Check>, E, R>,
  arranged: (ofFile: ReadonlyArray<Check>, ofContent: ReadonlyArray<Check>) => ReadonlyArray<Check>
): Effect.Effect<ReadonlyArray<Check>, never, R> => {
  if (!stands(file)) return Effect.succeed([absentCheck(name, file, how)])
  const inside = (place: FileFacts) =>
    Effect.map(orUnusable(name, verify, content(place)), (found) => arranged(fileChecks(place), found))
  return orUnusable(
    name,
    verify,
    Effect.flatMap(
      attempt(file, () => fileFacts(name, file)),
      inside
    )
  )
}

/** Everything that is to be said of the ledger at a path. */
export const ledgerChecksOf = (file: string) =>
  checksOfFile(
    {
      name: "ledger",
      file,
      how: "the first message that is posted makes it",
      verify: "cortex cassette verify"
    },
    Effect.fnUntraced(function* (place) {
      const facts = yield* factsOfLedger(file)
      return [...ledgerChecks(facts, place), ...(yield* companionsIn("ledger", file))]
    }),
    (ofFile, ofContent) => [...ofFile, ...ofContent]
  )

/** What is to be said of another database at a path: `look` opens it and gives what was seen. */
export const databaseChecksOf = <E extends OpeningFailure, R>(
  database: Database,
  look: Effect.Effect<string, E, R>
): Effect.Effect<ReadonlyArray<Check>, never, R> =>
  checksOfFile(
    database,
    Effect.fnUntraced(function* ({ bytes }) {
      const { file, name } = database
      const seen = `${yield* look}; ${file}, ${bytesText(bytes)}`
      return [{ check: name, state: "ok" as const, seen }, ...(yield* companionsIn(name, file))]
    }),
    // One line for a database that needs nothing: a network has many.
    (ofFile, [whole, ...rest]) => [
      ...(whole === undefined ? [] : [whole]),
      ...ofFile.filter(({ state }) => state !== "ok"),
      ...rest
    ]
  )
