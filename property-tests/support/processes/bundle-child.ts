// Builds the bundles of the jobs on standard input, one line of JSON each, with all rows the other way round, and prints
// the hash of each bundle's files. Started by the suite in another time zone and locale; never by hand.
import { text } from "node:stream/consumers"
import { filesOf, type RandomJob, sha256 } from "../bundle-jobs.ts"

// Lines end with LF alone: other readers of lines take U+2028 for an end too.
for (const line of (await text(process.stdin)).trimEnd().split("\n")) {
  const { job, texts } = JSON.parse(line) as RandomJob
  const turned = { ...job, steps: job.steps.toReversed(), receipts: job.receipts.toReversed() }
  const files = Object.entries(filesOf({ job: turned, texts })).sort(([a], [b]) => (a < b ? -1 : 1))
  process.stdout.write(`${sha256(JSON.stringify(files))}\n`)
}
