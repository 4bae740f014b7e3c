/**
 * Raw SQL against the table of expansions: every attack is refused and leaves no trace. Each guard is also taken out
 * once, and then an attack must get in: a guard without which nothing changes guards nothing.
 */
import { describe, expect, it } from "vitest"
import { refusalsIn } from "./testing/attack.ts"
import {
  corpusSchema as schema,
  dumpExpansions,
  expansionAttacks as attacks,
  honestExpansions,
  storedExpansion as stored
} from "./testing/expansions.ts"

/** What a statement is refused with; undefined when it changes something. */
const refusal = (statement: string, ...mutations: ReadonlyArray<string>) => {
  const database = stored(...mutations)
  const before = dumpExpansions(database)
  try {
    database.exec(statement)
  } catch (error) {
    expect(dumpExpansions(database)).toEqual(before)
    return (error as Error).message
  } finally {
    database.close()
  }
  return undefined
}

describe("expansions", () => {
  for (const [index, [trigger, message, statement]] of attacks.entries()) {
    it(`${message} (${index}): refused, and only by its guard`, () => {
      expect(refusal(statement)).toBe(message)
      expect(refusal(statement, `DROP TRIGGER tr_expansions_append_only_${trigger}`)).not.toBe(message)
    })
  }

  it("have an attack for every refusal", () => {
    const refusals = new Set(refusalsIn(schema))
    expect(new Set(attacks.map(([, message]) => message))).toEqual(refusals)
  })

  it("take what is new in any part of the key, and one key once", () => {
    const database = stored()
    for (const text of honestExpansions) database.exec(text)
    expect(database.prepare("SELECT count(*) FROM expansions").pluck().get()).toBe(5)
    database.close()
  })

  it("have the columns, the key and the indexes that others rely on", () => {
    const database = stored()
    expect(database.prepare("SELECT name, pk FROM pragma_table_info('expansions')").raw().all()).toEqual([
      ["run_id", 1],
      ["symbol_id", 2],
      ["slice", 3],
      ["section_id", 0],
      ["section_content_hash", 4],
      ["payload", 0],
      ["payload_hash", 0],
      ["bytes_expanded", 0],
      ["created_at", 0],
      ["expansion_hash", 0]
    ])
    expect(
      database
        .prepare(
          "SELECT list.name, info.name FROM pragma_index_list('expansions') AS list, pragma_index_info(list.name) AS info WHERE list.origin = 'c' ORDER BY 1"
        )
        .raw()
        .all()
    ).toEqual([
      ["idx_expansions_section", "section_id"],
      ["idx_expansions_symbol", "symbol_id"]
    ])
    database.close()
  })
})
