// The port to a CommonMark parser: which headings a text has. It is asked only for Markdown files within the limit.
import * as Context from "effect/Context"
import type { Heading, MarkdownDialect } from "../../domain/corpus/headings.ts"

/** Port: the headings of a Markdown text, in order. */
export class Markdown extends Context.Service<
  Markdown,
  {
    /** The headings of the document itself in order, not those inside quotes and lists. */
    readonly headings: (text: string, dialect: MarkdownDialect) => ReadonlyArray<Heading>
  }
>()("cortex-cassette/application/Markdown") {}
