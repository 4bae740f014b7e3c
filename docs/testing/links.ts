// The links of a document, in the forms that the documents use.

/** The relative links of a Markdown text outside its blocks of code: to files, to headings, and of pictures. */
export const relativeLinksOf = (text: string): ReadonlyArray<string> =>
  [
    ...text
      .replaceAll(/^```[^]*?^```/gm, "")
      .matchAll(/\]\(([^()\s]+)\)|<(?:img|source)\b[^>]*? src="([^"]+)"/g)
  ]
    .map(([, link, picture]) => link ?? picture ?? "")
    .filter((link) => !/^[a-z]+:/.test(link))
