// Symbols: names for places in files that stay when lines move. A symbol names a path and, if wanted, a heading path;
// which section that is today, the index says. Nothing here looks at files.
import * as Schema from "effect/Schema"
import { hasControlCharacter, utf8ByteLength } from "../canonical/text.ts"
import { PageOptions } from "../foundation/page.ts"
import { MAX_SYMBOL_LENGTH, MAX_TARGET_BYTES } from "./limits.ts"

const form = /^@[A-Z][A-Z0-9_]*(?:\/[A-Za-z0-9._-]+)+$/

/** True for a symbol: `@NAME/part` with further parts, and nowhere two dots together. */
export const isSymbolId = (text: string): boolean =>
  text.length <= MAX_SYMBOL_LENGTH && form.test(text) && !text.includes("..")

/** A symbol's name, such as `@DOCS/readme`. */
export const SymbolId = Schema.String.check(
  Schema.makeFilter(isSymbolId, {
    expected: `a symbol such as @DOCS/readme: @, an upper-case name, then parts of letters, digits, ".", "_" and "-" after slashes, without "..", at most ${MAX_SYMBOL_LENGTH} characters`,
    toJsonSchema: () => ({ pattern: form.source, maxLength: MAX_SYMBOL_LENGTH })
  })
)

const sectionIdForm = /^[0-9a-f]{64}$/

/** True for the id of a section. */
export const isSectionId = (text: string): boolean => sectionIdForm.test(text)

/** The id of a section: 64 lower-case hex digits. */
export const SectionId = Schema.String.check(
  Schema.makeFilter(isSectionId, {
    expected: "a section id: 64 lower-case hex digits",
    toJsonSchema: () => ({ pattern: sectionIdForm.source })
  })
)

/** What can be resolved to a section: a symbol, or the id of a section itself. */
export const Reference = Schema.String.check(
  Schema.makeFilter((text: string) => isSymbolId(text) || isSectionId(text), {
    expected: "a symbol such as @DOCS/readme, or a section id of 64 lower-case hex digits",
    toJsonSchema: () => ({ minLength: 1, maxLength: MAX_SYMBOL_LENGTH })
  })
)

const isShortText = (text: string): boolean =>
  text !== "" && text.isWellFormed() && !hasControlCharacter(text) && utf8ByteLength(text) <= MAX_TARGET_BYTES

/** True for a path that cannot leave the root: relative, with `/`, without `.`, `..` and empty parts. */
export const isCorpusPath = (text: string): boolean =>
  isShortText(text) && text.split("/").every((part) => part !== "" && part !== "." && part !== "..")

/** A path relative to a corpus' root. */
export const CorpusPath = Schema.String.check(
  Schema.makeFilter(isCorpusPath, {
    expected: `a path relative to the root such as docs/guide.md, without "." and "..", at most ${MAX_TARGET_BYTES} bytes`,
    toJsonSchema: () => ({ minLength: 1, maxLength: MAX_TARGET_BYTES })
  })
)

/** Which sections to list: in order of path and place, of one file or of all, behind the id of one of them. */
export const ListSections = Schema.Struct({ path: Schema.optional(CorpusPath), ...PageOptions.fields })
export type ListSections = typeof ListSections.Type

/** A heading path, as `section list` shows it. */
const HeadingPath = Schema.String.check(
  Schema.makeFilter(isShortText, {
    expected: `a heading path such as Install/Linux, at most ${MAX_TARGET_BYTES} bytes`
  })
)

/** What `addSymbol` takes. */
export const AddSymbol = Schema.Struct({
  symbol_id: SymbolId,
  path: CorpusPath,
  heading: Schema.optional(HeadingPath),
  /** The default slice, in any spelling that the parser takes. */
  slice: Schema.optional(Schema.String)
})
export type AddSymbol = typeof AddSymbol.Type
