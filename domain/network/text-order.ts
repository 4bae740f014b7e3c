// The one order of texts in the network: by UTF-16 units, the same on every host and in every language.

/** Negative, zero or positive as a comparison function of `sort` wants it. */
export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** Where a text stands in one store; a whole document or memory has no ordinal. */
interface Standing {
  readonly path: string
  readonly ordinal: number | null
}

/** The order of places in one store: by path, then by ordinal. */
export const byStoredPlace = (left: Standing, right: Standing): number =>
  byText(left.path, right.path) || (left.ordinal ?? 0) - (right.ordinal ?? 0)

interface SourcedStanding extends Standing {
  readonly source: string
}

/** The order of places in several cassettes: as in one store, then by cassette. */
export const byPlace = (left: SourcedStanding, right: SourcedStanding): number =>
  byStoredPlace(left, right) || byText(left.source, right.source)
