// Tampering campaign, cells: every column of every row of every table gets other values behind the guards, and
// verification names each. All cells are visited in every run; how many kinds of values each gets grows with PROP_RUNS,
// and which come first is drawn from the seed.

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DisarmedLedger } from "../infrastructure/testing/disarmed-ledger.ts"
import { type CampaignLedger, makeCampaignLedger } from "./support/campaigns/campaign-ledger.ts"
import { CampaignScore } from "./support/campaigns/campaign-score.ts"
import { type CampaignRow, placeOf, rowsOf, type Value } from "./support/campaigns/campaign-tables.ts"
import { propRuns, propSeed } from "./support/configuration.ts"

/** A value to put in: an SQL expression of one parameter. */
interface Change {
  readonly kind: string
  readonly sql: string
  readonly parameter: string | bigint | number | Buffer | null
  /** What a finding calls a row with this key, when it can name it. */
  readonly text?: string
}

const put = (kind: string, parameter: Change["parameter"], sql = "?"): Change => ({
  kind,
  sql,
  parameter,
  ...(typeof parameter === "string" ? { text: parameter } : {})
})

const near = (text: string): string => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")

const otherCase = (text: string): string =>
  text.replace(/[a-z]/i, (letter) =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
  )

/** What a rowid, which is always an integer, can be changed to. */
const rowidChanges = (value: number): ReadonlyArray<Change> => [
  put("a later one", BigInt(value) + 100n),
  put("the negative", BigInt(-value - 1)),
  put("0", 0n),
  put("more than a number holds", 2n ** 62n)
]

const changesOf = (value: Value): ReadonlyArray<Change> => {
  if (value === null) {
    return [put("a text", "x"), put("an empty text", ""), put("0", 0n), put("a blob", Buffer.alloc(0))]
  }
  if (typeof value === "number") {
    return [
      put("one more", BigInt(value) + 1n),
      put("the negative", BigInt(-value - 1)),
      put("NULL", null),
      put("its digits as text", String(value)),
      put("the same as a real number", value, "CAST(? AS REAL)"),
      put("its digits as a blob", Buffer.from(String(value))),
      put("more than a number holds", 2n ** 62n)
    ]
  }
  const bytes = Buffer.from(value)
  const replacement = bytes.indexOf("\ufffd")
  return [
    put("a near text", near(value)),
    put("NULL", null),
    put("the same as a blob", bytes),
    put("a number", 7n),
    put("more than any number", Number.POSITIVE_INFINITY),
    put("white space", `${value} `),
    put("an empty text", ""),
    put("a text with U+0000", `${value}\u0000`),
    ...(otherCase(value) === value ? [] : [put("another case", otherCase(value))]),
    ...(replacement === -1
      ? []
      : [
          put(
            "bytes that read the same",
            Buffer.concat([bytes.subarray(0, replacement), Buffer.of(255), bytes.subarray(replacement + 3)]),
            "CAST(? AS TEXT)"
          )
        ])
  ]
}

const rowids = new Set(["position", "one", "version"])

interface Target {
  readonly row: CampaignRow
  readonly column: string
}

/** The places that must be named when a cell has got another value. */
const placesOf = ({ column, row }: Target, { parameter, text }: Change): ReadonlyArray<string> => {
  const place = placeOf(row)
  if (row.table === "events") return [column === row.key ? `event ${Number(parameter)}` : place]
  if (row.table === "head") return [place]
  if (column !== row.key) return [`${place} ${column}`]
  return [place, ...(text === undefined ? [] : [`${row.table} ${text}`])]
}

let ledger: CampaignLedger
let disarmed: DisarmedLedger
let targets: ReadonlyArray<Target>
beforeAll(async () => {
  ledger = await makeCampaignLedger()
  disarmed = new DisarmedLedger(ledger.bytes)
  targets = rowsOf(ledger.bytes).flatMap((row) => Object.keys(row.cells).map((column) => ({ row, column })))
})
afterAll(() => ledger.close())

/** Kinds of values that each cell gets in this run. */
const kindsPerCell = Math.max(1, Math.round(propRuns / 30))

describe("a changed cell", () => {
  it("is found and named, in every column of every row of every table", async () => {
    const score = new CampaignScore("cells")
    expect((await ledger.verify(disarmed.changed(() => {}))).findings).toEqual([])
    for (const [index, target] of targets.entries()) {
      const { column, row } = target
      const { cells, id, key, table } = row
      const isRowid = rowids.has(key) && column === key
      const kinds = isRowid ? rowidChanges(Number(id)) : changesOf(cells[column] ?? null)
      for (let turn = 0; turn < Math.min(kindsPerCell, kinds.length); turn++) {
        const change = kinds[(Math.abs(propSeed) + index + turn) % kinds.length]
        if (change === undefined) throw new Error("there is no such kind")
        // The key of a table without rowids is never NULL: no file can say otherwise.
        if (table === "cassette_jobs" && column === key && change.parameter === null) continue
        const bytes = disarmed.changed((database) => {
          database
            .prepare(`UPDATE "${table}" SET "${column}" = ${change.sql} WHERE "${key}" = ?`)
            .run(change.parameter, id)
        })
        const name = `${placeOf(row)} ${column} = ${change.kind}`
        await score.judge(name, ledger.verify(bytes), placesOf(target, change))
      }
    }
    score.end(targets.length * 0.9)
  })
})
