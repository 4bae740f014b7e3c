// Whether a text has nothing but ASCII, which most have, and for which much is simpler. It loads nothing, since every child
// process folds words with it.

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/

/** True when the text has nothing but ASCII: its units are its bytes, and it folds to its lower case. */
export const isAscii = (text: string): boolean => !beyondAscii.test(text)
