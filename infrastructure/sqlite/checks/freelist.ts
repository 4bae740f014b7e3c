// The list of free pages, walked as SQLite's file format describes it
// (https://www.sqlite.org/fileformat2.html#the_freelist): trunk pages in a chain, each with the numbers of further free
// pages. A pure walk over pages that its caller reads; it follows no page twice, so no damage makes it endless.
import { freelistOf, u32 } from "../files/database-header.ts"

export interface FreelistWalk {
  /** How many pages the database has. */
  readonly pages: number
  /** The bytes of a page that may be used, without its reserved space. */
  readonly usableBytes: number
  /** The bytes of a page. */
  readonly page: (number: number) => Uint8Array
  /** Takes a free page; false when the page is taken already. */
  readonly take: (page: number) => boolean
  /** How many trunk pages are followed; the rest of a longer list is left out. */
  readonly maxTrunks?: number
}

/** What is wrong with the list that a header begins, as a sentence without a full stop; undefined for a sound one. */
export const freelistFault = (
  header: Uint8Array,
  { maxTrunks = Number.POSITIVE_INFINITY, page, pages, take, usableBytes }: FreelistWalk
): string | undefined => {
  const { pages: promised, trunk: first } = freelistOf(header)
  const capacity = Math.floor(usableBytes / 4) - 2
  let found = 0
  const taken = (free: number, where: string): string | undefined => {
    if (free < 2 || free > pages) return `${where} names page ${free}, and there are only pages 2 to ${pages}`
    found += 1
    return take(free) ? undefined : `${where} names page ${free}, which is in use`
  }
  let where = "the header"
  let trunks = 0
  for (let trunk = first; trunk !== 0; trunks++) {
    if (trunks >= maxTrunks) return undefined
    const fault = taken(trunk, where)
    if (fault !== undefined) return `the list of free pages: ${fault}`
    where = `page ${trunk}`
    const bytes = page(trunk)
    const leaves = u32(bytes, 4)
    if (leaves > capacity)
      return `the list of free pages: ${where} says that it names ${leaves} pages, it has room for ${capacity}`
    for (let leaf = 0; leaf < leaves; leaf++) {
      const wrong = taken(u32(bytes, 8 + 4 * leaf), where)
      if (wrong !== undefined) return `the list of free pages: ${wrong}`
    }
    trunk = u32(bytes, 0)
  }
  return found === promised
    ? undefined
    : `the list of free pages has ${found} pages, the header says ${promised} (bytes 36 to 39)`
}
