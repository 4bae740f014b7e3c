// What becomes of a document or a memory that is given to a cassette, decided before anything is written, from what is stored
// and what the cassette's mutability promises. The writers carry it out; the guards in the file refuse what is refused here.
import type { MemoryScope } from "./cassette.ts"
import { rulesOf } from "./mutability.ts"

/** What a cassette says of writes to it. */
export interface WriteRules {
  readonly mutability: string
  /** Closed for good. */
  readonly isSealed: boolean
}

/** The newest version of a document that is stored under the path. */
export interface HeldDocument {
  readonly content_hash: string
  readonly type: string
  readonly version: number
  /** Until when it is kept (timestamp); null where nothing expires. */
  readonly expires_at: string | null
}

export type DocumentDecision =
  | { readonly decision: "add"; readonly version: 1 }
  /** The stored one is taken out before. */
  | { readonly decision: "replace"; readonly version: 1 }
  /** The stored one stays, and is searched no more where only the newest version is. */
  | { readonly decision: "newVersion"; readonly version: number; readonly isOlderSearched: boolean }
  /** It is stored as it is given; `expired` when its time is over: it goes with the next sweep. */
  | { readonly decision: "unchanged" | "expired" | "refuse" }

/** What becomes of a document that is given with this text and type at the time `now` (timestamp). */
export const decideDocument = (
  { isSealed, mutability }: WriteRules,
  held: HeldDocument | undefined,
  given: Pick<HeldDocument, "content_hash" | "type">,
  now: string
): DocumentDecision => {
  const rules = rulesOf(mutability)
  if (held?.content_hash === given.content_hash && held.type === given.type) {
    return { decision: held.expires_at !== null && held.expires_at <= now ? "expired" : "unchanged" }
  }
  if (isSealed) return { decision: "refuse" }
  if (held === undefined) return { decision: "add", version: 1 }
  if (!rules.changes) return { decision: "refuse" }
  return rules.versions
    ? { decision: "newVersion", version: held.version + 1, isOlderSearched: rules.searchesVersions }
    : { decision: "replace", version: 1 }
}

/** What becomes of the document under a path that is to be taken out. */
export const decideRemoval = (
  { mutability }: WriteRules,
  held: HeldDocument | undefined
): "remove" | "unchanged" | "refuse" => {
  if (held === undefined) return "unchanged"
  return rulesOf(mutability).removes ? "remove" : "refuse"
}

export type MemoryDecision =
  /** It is saved for this owner: an agent, or the empty text where memories are shared. */
  { readonly decision: "save"; readonly owner: string } | { readonly decision: "refuse" | "agentMissing" }

/** What becomes of a memory that an agent, or no agent (null), saves. */
export const decideMemory = (
  mutability: string,
  scope: MemoryScope,
  agent: string | null
): MemoryDecision => {
  if (!rulesOf(mutability).remembers) return { decision: "refuse" }
  if (scope === "shared") return { decision: "save", owner: "" }
  return agent === null ? { decision: "agentMissing" } : { decision: "save", owner: agent }
}

/** A memory that is stored: how many of its saves are by others than who forgets. */
export interface HeldMemory {
  readonly savesByOthers: number
}

/** What becomes of a memory that is to be forgotten: `kept` by the mutability, `saved_by_others` where it is not one's own. */
export const decideForgetting = (
  mutability: string,
  held: HeldMemory | undefined
): "forget" | "absent" | "kept" | "saved_by_others" => {
  if (held === undefined) return "absent"
  if (!rulesOf(mutability).removes) return "kept"
  return held.savesByOthers > 0 ? "saved_by_others" : "forget"
}
