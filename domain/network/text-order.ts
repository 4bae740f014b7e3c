// The one order of texts in the network: by UTF-16 units, the same on every host and in every language.

/** Negative, zero or positive as a comparison function of `sort` wants it. */
export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
