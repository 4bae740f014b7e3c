// The report of a storm for people: what the weather was, what was answered and refused, and what was found. It tells
// also what did not happen, since a storm in which no worker was late proves nothing about being late.
import type { StormReport } from "./storm.ts"
import type { WorkerStorm } from "./workers.ts"

const LABEL_WIDTH = 34
/** Most findings that are printed; all of them are in the report as JSON. */
const MOST_FINDINGS = 20

const line = (label: string, value: number | string): string => `${label.padEnd(LABEL_WIDTH)}${value}`

const lines = (title: string, counts: Readonly<Record<string, number>>): ReadonlyArray<string> => [
  title,
  ...Object.keys(counts)
    .toSorted()
    .map((name) => line(`  ${name}`, counts[name] ?? 0))
]

const quiet = ({ fenced, late, weather }: StormReport): ReadonlyArray<string> =>
  [
    weather.killed === 0 ? "no process was killed" : "",
    weather.stopped === 0 ? "no process was stopped" : "",
    late === 0 ? "no worker was late" : "",
    fenced === 0 ? "no renewed token was tried again" : ""
  ].filter((text) => text !== "")

/** What was found, and where the evidence is. */
const found = (findings: StormReport["findings"], folder: string | undefined): ReadonlyArray<string> => [
  ...findings.slice(0, MOST_FINDINGS).map(({ code, message, where }) => `FOUND ${code} ${where}: ${message}`),
  ...(findings.length > MOST_FINDINGS ? [`... and ${findings.length - MOST_FINDINGS} more`] : []),
  ...(folder === undefined ? [] : [`ledger and logs are kept in ${folder}`])
]

/** The report of a storm over workers as text. */
export const workerTableOf = ({ findings, folder, seed, verdict, ...counts }: WorkerStorm): string =>
  [
    line("steps, each done once", counts.steps),
    line("workers killed", counts.killed),
    line("workers stopped past their lease", counts.stopped),
    line("workers asked to end", counts.ended),
    line("steps given back", counts.given_back),
    line("results dropped, lease lost", counts.lost),
    line("leases renewed", counts.renewals),
    line("handlers beyond their lease", counts.outlasted),
    ...found(findings, folder),
    `${verdict}: seed ${seed}, ${counts.killed} kills, ${findings.length} findings`
  ].join("\n")

/** The whole report as text. */
export const tableOf = (report: StormReport): string => {
  const { findings, folder, weather } = report
  const missing = quiet(report)
  return [
    line("events committed", report.events),
    line("processes at once", report.processes),
    ...lines("weather", { ...weather }),
    ...lines("acknowledged", report.acknowledged),
    ...lines("refused", report.refused),
    line("late completions, all refused", report.late),
    line("renewed tokens used, all refused", report.fenced),
    ...(missing.length === 0 ? [] : [`too little weather: ${missing.join(", ")}; let it last longer`]),
    ...found(findings, folder),
    `${report.verdict}: seed ${report.seed}, ${report.seconds} s, ${findings.length} findings`
  ].join("\n")
}
