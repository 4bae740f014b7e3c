// Whether what a cassette holds can be carried into one that is born otherwise, decided by counts alone. What no rule
// can decide (whose a memory is, whether everybody may see it) is a sentence that says what to do.
import type { MemoryScope, Mutability } from "../cassette.ts"
import { rulesOf } from "../mutability.ts"

/** The rule of the receipt that names the newest receipt of the file that a cassette's content was carried from. */
export const CARRIED_RULE = "carried"

/** A cassette's two births, and what it holds. */
export interface Carrying {
  readonly born: MemoryScope
  readonly memories: MemoryScope
  readonly mutability: Mutability
  /** Memories that have not expired. */
  readonly remembered: number
  /** Those of them that were saved without an agent. */
  readonly unowned: number
  /** True: memories of single agents may become everybody's. */
  readonly publish: boolean
}

/** Why it cannot be carried, as what follows the cassette's name; undefined when it can. */
export const carryingFault = ({
  born,
  memories,
  mutability,
  publish,
  remembered,
  unowned
}: Carrying): string | undefined => {
  if (!rulesOf(mutability).remembers && remembered > 0) {
    return `it has ${remembered} memories, and an immutable cassette keeps none: let the configuration say another mutability, or give the immutable one another id and path`
  }
  if (born === "shared" && memories === "private" && unowned > 0) {
    return `${unowned} of its memories were saved without an agent, so that it is unknown whose they are: keep it shared (no capability agent_id), or give the private one another id and path`
  }
  if (born === "private" && memories === "shared" && remembered > 0 && !publish) {
    return `it has ${remembered} memories that their agents alone may see, and everybody would see them: say --publish if that is meant, or keep the capability agent_id`
  }
  return undefined
}

/** True where every version of a document goes along: both keep them. Elsewhere the newest alone does. */
export const carriesVersions = (born: string, asked: string): boolean =>
  [born, asked].every((each) => rulesOf(each).versions)
