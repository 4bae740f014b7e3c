// Bodies as a page takes them: the text as it is stored, or its beginning. A page parses no JSON of others: a browser may give a key
// with an escape another key's name, and a large number another value.
import { jcsTextOfRead } from "../canonical/jcs.ts"
import type { JsonValue } from "../canonical/json.ts"
import type { Body } from "../history/bodies.ts"

export interface StoredText {
  readonly text: string
  readonly bytes: number
  readonly sha256: string
  /** The text is the beginning of what is stored. */
  readonly is_cut: boolean
}

/** An answer with a text in the place of each body. */
export type WithTexts<A> = A extends Body
  ? StoredText
  : A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<WithTexts<Item>>
    : A extends object
      ? { readonly [Key in keyof A]: WithTexts<A[Key]> }
      : A

const isBody = (value: object): value is Body =>
  "whole" in value && "beginning" in value && "sha256" in value && "bytes" in value

/** JSON that is stored is canonical: what is read from it has one text. */
const textOf = (value: JsonValue): string => (typeof value === "string" ? value : jcsTextOfRead(value))

const storedText = ({ beginning, bytes, sha256, whole }: Body): StoredText => ({
  text: beginning ?? textOf(whole),
  bytes,
  sha256,
  is_cut: beginning !== null
})

/** The answer for a page. */
export const withTexts = <A>(answer: A): WithTexts<A> => {
  const changed = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(changed)
    if (isBody(value)) return storedText(value)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, changed(member)]))
  }
  return changed(answer) as WithTexts<A>
}
