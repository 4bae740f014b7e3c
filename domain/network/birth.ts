// What a cassette is born with, held against what its configuration asks for. A file keeps what it was born with for good;
// where the two differ it is neither read nor written, and the sentence that is made here names the file, both values and
// the way out. It is pure text, since every opening uses it, a child's too.
import type { MemoryScope, Mutability } from "./cassette.ts"
import { rulesOf } from "./mutability.ts"

/** What a configuration asks of a cassette's file; what it leaves open agrees with every file. */
export interface AskedBirth {
  readonly mutability?: Mutability | undefined
  readonly memories?: MemoryScope | undefined
  /** How long an ephemeral cassette keeps what it is given (milliseconds). */
  readonly ttlMillis?: number | undefined
}

/** One thing in which a file and its configuration differ, both in the words of the configuration. */
export interface BirthDifference {
  readonly fact: "memories" | "mutability" | "ttl"
  readonly born: string
  readonly configured: string
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1]
] as const

/** Milliseconds as a configuration says them: the largest unit that needs no fraction. */
const ttlText = (millis: number): string => {
  const [unit, each] = UNITS.find(([, each]) => millis % each === 0) ?? ["ms", 1]
  return `${millis / each}${unit}`
}

/** In what a file's own description (`network_meta`) differs from what is asked for. */
export const birthDifferences = (
  born: ReadonlyMap<string, string>,
  { memories, mutability, ttlMillis }: AskedBirth
): ReadonlyArray<BirthDifference> => {
  const own = born.get("mutability") ?? ""
  const scope = born.get("memories") ?? ""
  const ttl = Number(born.get("ttl_ms"))
  const differences: Array<BirthDifference> = []
  if (mutability !== undefined && mutability !== own) {
    differences.push({ fact: "mutability", born: own, configured: mutability })
  }
  if (memories !== undefined && memories !== scope) {
    differences.push({ fact: "memories", born: scope, configured: memories })
  }
  // Elsewhere nothing expires, and the time decides nothing.
  const expires = rulesOf(own).expires && rulesOf(mutability ?? own).expires
  if (expires && ttlMillis !== undefined && ttlMillis !== ttl) {
    differences.push({ fact: "ttl", born: ttlText(ttl), configured: ttlText(ttlMillis) })
  }
  return differences
}

/** The line of a configuration that agrees with the file. */
const agreeing = ({ born, fact }: BirthDifference): string => {
  if (fact !== "memories") return `${fact}: ${born}`
  return born === "private" ? "the capability agent_id" : "no capability agent_id"
}

/** What is to be said of a file that differs from its configuration. */
export const differenceText = (
  file: string,
  id: string,
  differences: ReadonlyArray<BirthDifference>
): string => {
  const born = differences.map((each) => `${each.fact} ${each.born}`).join(", ")
  const configured = differences.map((each) => `${each.fact} ${each.configured}`).join(", ")
  const lines = differences.map(agreeing).join(", ")
  return `${file} was made with ${born}, and the configuration asks for ${configured}: nothing was read or written; cortex network migrate --cassette ${id} carries what it holds into a file as configured, or let the configuration say ${lines}`
}
