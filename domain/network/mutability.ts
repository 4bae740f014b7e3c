// What each mutability of a cassette promises, as one table: what is taken out, what becomes of a changed text, what is
// searched and what expires. Decisions, receipts, cartridges and indexes ask here. See docs/spec/network.md.
import type { Mutability } from "./cassette.ts"

export interface MutabilityRules {
  /** Documents and memories may be taken out. */
  readonly removes: boolean
  /** A document may get another text. */
  readonly changes: boolean
  /** A changed text is another version, and the versions before stay. */
  readonly versions: boolean
  /** Every version is searched; elsewhere the newest one alone. */
  readonly searchesVersions: boolean
  /** What is stored is kept for a time only. */
  readonly expires: boolean
  /** Memories are saved here. */
  readonly remembers: boolean
  /** It is closed for good after its first index run. */
  readonly seals: boolean
}

const REPLACING: MutabilityRules = {
  removes: true,
  changes: true,
  versions: false,
  searchesVersions: false,
  expires: false,
  remembers: true,
  seals: false
}

const KEEPING: MutabilityRules = { ...REPLACING, removes: false, versions: true }

const RULES: Readonly<Record<Mutability, MutabilityRules>> = {
  immutable: { ...KEEPING, changes: false, versions: false, remembers: false, seals: true },
  stable: KEEPING,
  "append-only": { ...KEEPING, searchesVersions: true },
  mutable: REPLACING,
  "read-write": REPLACING,
  ephemeral: { ...REPLACING, expires: true }
}

/** The rules of a mutability as it stands in a file or a cartridge; a text that is none has those of `mutable`. */
export const rulesOf = (mutability: string): MutabilityRules =>
  Object.hasOwn(RULES, mutability) ? RULES[mutability as Mutability] : REPLACING
