// `cortex doctor`: looks at the programs, the ledger, the corpus and the network below a root, and says of each what it is
// and what to do about it. It changes nothing; something that is not there yet is no fault.
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { keptFiles, sourcesOf, sqliteVersion } from "../../embedding/inspection.ts"
import { shellWord, withPlace } from "../advice.ts"
import { ledgerFlags } from "../cassette/ledger-flags.ts"
import { ledgerFile } from "../cassette/open-ledger.ts"
import { withCorpus } from "../corpus/open-corpus.ts"
import { ProblemsFound } from "../../shared/failures.ts"
import { type HostShape, Host, mayColour } from "../../shared/host.ts"
import { configuredNetwork, withNetwork } from "../network/open-network.ts"
import { networkFileOptions, networkFlags } from "../network/network-flags.ts"
import { requestedFormat, rootFolder } from "../../shared/options.ts"
import { answer, writeResult } from "../output.ts"
import { printable, tableLines, wrapped } from "../../shared/terminal-text.ts"
import { packageVersion } from "../../shared/version.ts"
import type { Check, DoctorReport } from "../../shared/doctor-report.ts"
import {
  embedderCheck,
  keptFilesChecks,
  missingCheck,
  programChecks,
  reportOf,
  unfinishedCheck,
  unusableCheck,
  vectorChecks
} from "./checks.ts"
import { databaseChecksOf, ledgerChecksOf, stands } from "./facts.ts"
import { rulesOf } from "../../../domain/network/mutability.ts"

const corpusChecks = Effect.gen(function* () {
  const file = join(yield* rootFolder, "CORTEX", "_generated", "system1.db")
  const look = withCorpus("verify", (corpus) => corpus.verify({ documents: false })).pipe(
    Effect.flatMap(({ counts, findings, findings_left_off, verdict }) =>
      verdict === "PASS"
        ? Effect.succeed(`sound, ${counts["files"]} files, ${counts["symbols"]} symbols`)
        : Effect.fail({
            message: `${findings.length + findings_left_off} faults, the first ${findings[0]?.code} at ${findings[0]?.where}`
          })
    )
  )
  return yield* databaseChecksOf(
    { name: "corpus", file, how: "cortex index makes it", verify: "cortex cache verify" },
    look
  )
})

/** A refused cassette; one that was born otherwise than its configuration asks for has a command that carries it over. */
const refused = (id: string, reason = "") => {
  const run = `cortex network migrate --cassette ${shellWord(id)}`
  return reason.includes(run) ? { _tag: "CassetteRefused", run } : { _tag: "CassetteRefused" }
}

const networkChecks = Effect.gen(function* () {
  const { file } = yield* networkFileOptions
  if (!stands(file)) return [missingCheck("network", file, "cortex network init makes its configuration")]
  const { cassettes, root } = yield* configuredNetwork
  const [health, embedder] = yield* withNetwork(({ embedderHealth, status }) =>
    Effect.all([status, embedderHealth], { concurrency: "unbounded" })
  )
  const checks: Array<Check> = embedder === null ? [] : [embedderCheck(embedder)]
  for (const { birth, configuration, file: database, id } of cassettes) {
    const found = health.find(({ cassette_id }) => cassette_id === id)
    const name = `cassette ${id}`
    const look =
      found !== undefined && "stats" in found
        ? Effect.succeed(
            `${found.mutability}, ${found.stats.files} files, ${found.stats.total_chunks} chunks`
          )
        : Effect.fail({
            ...(found?.status === "refused" ? refused(id, found.reason) : {}),
            message: (found !== undefined && "reason" in found && found.reason) || "it does not answer"
          })
    const how = "cortex network index makes it"
    const verify = `cortex network verify ${shellWord(id)}`
    checks.push(...(yield* databaseChecksOf({ name, file: database, how, verify }, look)))
    if (found?.status === "partial") checks.push(unfinishedCheck(id))
    if (stands(database)) checks.push(...keptFilesChecks(id, keptFiles(database)))
    if (embedder !== null && found !== undefined && "stats" in found) {
      const origin = {
        isExternal: configuration.type === "external",
        isImmutable: rulesOf(birth.mutability).seals,
        hasSources: sourcesOf(file, root, configuration).length > 0
      }
      checks.push(...vectorChecks(found, embedder, origin))
    }
  }
  return checks
}).pipe(Effect.catch((error) => Effect.succeed([unusableCheck("network", error, "cortex network verify")])))

/** The check with its advice about the same places that were looked at. */
const placedCheck = (host: HostShape, { do: what, run, seen, ...check }: Check): Check => ({
  ...check,
  seen: withPlace(host, seen),
  ...(what === undefined ? {} : { do: withPlace(host, what) }),
  ...(run === undefined ? {} : { run: withPlace(host, run) })
})

const words = { ok: ["ok", 32], advice: ["advice", 33], problem: ["PROBLEM", 31] } as const

/** What to do, and the command that does it on a line of its own, to be pasted. */
const adviceLines = ({ do: what, run }: Check): ReadonlyArray<string> => {
  if (what === undefined) return []
  return run === undefined
    ? [`    -> ${printable(what)}`]
    : [`    -> ${printable(what)}:`, `       ${printable(run)}`]
}

const reportLines = (host: HostShape, { checks }: DoctorReport): ReadonlyArray<string> => {
  const colours = mayColour(host, "stdout")
  const columns = host.columns("stdout")
  const inColumns = tableLines(
    ["check", "state", "seen"],
    checks.map(({ check, seen, state }) => [check, words[state][0], columns === undefined ? seen : ""])
  )
  const [head = "", ...rows] = inColumns
  const rowLines = (row: string, check: Check): ReadonlyArray<string> => {
    const [, colour] = words[check.state]
    const line = colours && check.state !== "ok" ? `\u001b[${colour}m${row}\u001b[0m` : row
    const seen = columns === undefined ? [] : wrapped(printable(check.seen), columns - 4)
    return [line].concat(
      seen.map((text) => `    ${text}`),
      adviceLines(check)
    )
  }
  return [head, ...rows.flatMap((row, index) => rowLines(row, checks[index] as Check))]
}

export const doctorCommand = Command.make(
  "doctor",
  {},
  Effect.fnUntraced(function* () {
    const host = yield* Host
    const checks = [
      ...programChecks({ version: packageVersion(), node: process.versions.node, sqlite: sqliteVersion() }),
      ...(yield* ledgerChecksOf(yield* ledgerFile("read"))),
      ...(yield* corpusChecks),
      ...(yield* networkChecks)
    ]
    const report = reportOf(checks.map((check) => placedCheck(host, check)))
    if (report.verdict !== "problem")
      return yield* answer({ data: report, lines: () => reportLines(host, report) })
    // People see the whole table; programs find it in the error's details.
    if (requestedFormat(host.args) !== "json") yield* writeResult(`${reportLines(host, report).join("\n")}\n`)
    return yield* new ProblemsFound({ report })
  })
).pipe(
  Command.withDescription(
    "Look at everything below the root and say what to do about it: versions of Node and SQLite, kinds of file systems and their room, durability in force, sizes of files and write-ahead logs, versions of schemas, the oldest lease, growth, and whether corpus, cassettes and the embedder answer. Changes nothing. Exits 1 when there is a problem; advice alone is no problem."
  ),
  Command.withShortDescription("what is the state of everything here, and what to do about it"),
  Command.withExamples([
    { command: "cortex doctor" },
    { command: "cortex doctor --db work.db --format json" }
  ]),
  Command.withGlobalFlags([...ledgerFlags, ...networkFlags])
)
