// The examples of comments as files that the type checker reads and a test runs: each is a whole program.
import { commentOf, docOf, entriesOf } from "./api-reference.ts"
import { entryPoints, publicMembers } from "./public-members.ts"

export interface CommentExample {
  /** Its file's name in docs/reference/examples. */
  readonly name: string
  readonly text: string
}

const kebab = (name: string): string => name.replaceAll(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase()

/** The examples of all exported names, each once. */
export const commentExamples = (): ReadonlyArray<CommentExample> => {
  const examples = new Map<string, CommentExample>()
  for (const point of entryPoints()) {
    for (const entry of entriesOf(publicMembers(point)).flatMap((of) => [of].concat(entriesOf(of.members)))) {
      for (const [index, text] of commentOf(docOf(entry)).examples.entries()) {
        if (examples.has(text)) continue
        const name = `${kebab(entry.name)}${index === 0 ? "" : `-${index + 1}`}.ts`
        const origin = `// The example of ${entry.name} in ${entry.declarations[0]?.file}.`
        examples.set(text, { name, text: `${origin}\n${text}\n` })
      }
    }
  }
  return [...examples.values()]
}
