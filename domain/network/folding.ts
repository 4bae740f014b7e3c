// How a piece of text is folded before it becomes a term: composed and decomposed spellings, full-width forms, letter
// case and diacritics of Latin, Greek and Cyrillic letters become equal. It is used by the index and by questions
// alike and never touches stored text.

import { isAscii } from "../canonical/ascii.ts"

/** The form in which two spellings of one word are equal. */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKD")
        .toLowerCase()
        // Some compatibility forms decompose into a blank and a mark.
        .replaceAll(/[\u0300-\u036f\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}\s]/gu, "")
        .replaceAll("ß", "ss")
        .replaceAll("ς", "σ")
        .normalize("NFC")
