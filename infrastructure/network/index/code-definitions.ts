// Definitions in source code (functions, classes, their methods, types) by Lezer's grammars, which also read code with
// mistakes in it. Comments right before a definition belong to it. Languages without a grammar here have no outline.
import type { SyntaxNode } from "@lezer/common"
import { parser as javascript } from "@lezer/javascript"
import { parser as python } from "@lezer/python"
import { utf8ByteLength } from "../../../domain/canonical/text.ts"
import type { OutlinePart } from "../../../domain/network/chunks.ts"
import { MAX_CHUNK_BYTES } from "../../../domain/network/limits.ts"

const parsers: Readonly<Record<string, typeof javascript>> = {
  ".js": javascript.configure({ dialect: "jsx" }),
  ".mjs": javascript.configure({ dialect: "jsx" }),
  ".cjs": javascript.configure({ dialect: "jsx" }),
  ".jsx": javascript.configure({ dialect: "jsx" }),
  ".ts": javascript.configure({ dialect: "ts" }),
  ".mts": javascript.configure({ dialect: "ts" }),
  ".cts": javascript.configure({ dialect: "ts" }),
  ".tsx": javascript.configure({ dialect: "jsx ts" }),
  ".py": python,
  ".pyi": python
}

/** Nodes that define a name. */
const definitions = new Set([
  "FunctionDeclaration",
  "ClassDeclaration",
  "VariableDeclaration",
  "InterfaceDeclaration",
  "TypeAliasDeclaration",
  "EnumDeclaration",
  "NamespaceDeclaration",
  "MethodDeclaration",
  "PropertyDeclaration",
  "FunctionDefinition",
  "ClassDefinition"
])

/** Nodes that hold the members of a definition. */
const bodies = new Set(["ClassBody", "Body"])

/** Nodes around a definition that change nothing about what it defines. */
const wrappers = new Set(["ExportDeclaration", "DecoratedStatement", "AmbientDeclaration"])

const names = new Set([
  "VariableDefinition",
  "TypeDefinition",
  "PropertyDefinition",
  "PrivatePropertyDefinition",
  "VariableName"
])

const comments = new Set(["LineComment", "BlockComment", "Comment"])

const childrenOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  const children: Array<SyntaxNode> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

const unwrapped = (node: SyntaxNode): SyntaxNode | undefined =>
  wrappers.has(node.name)
    ? childrenOf(node).find((child) => definitions.has(child.name))
    : definitions.has(node.name)
      ? node
      : undefined

/** The text before the definition that belongs to it: comments with no empty line between. */
const beginningOf = (text: string, node: SyntaxNode): number => {
  let start = node.from
  for (let before = node.prevSibling; before !== null; before = before.prevSibling) {
    const between = text.slice(before.to, start)
    if (!comments.has(before.name) || /(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)/.test(between)) break
    start = before.from
  }
  return start
}

interface Definition {
  readonly node: SyntaxNode
  readonly start: number
  readonly end: number
  readonly name: string
  readonly body: SyntaxNode | undefined
}

const definitionsIn = (text: string, parent: SyntaxNode): ReadonlyArray<Definition> =>
  childrenOf(parent).flatMap((node) => {
    const defined = unwrapped(node)
    if (defined === undefined) return []
    const children = childrenOf(defined)
    const named = children.find((child) => names.has(child.name))
    if (named === undefined) return []
    const isClass = defined.name === "ClassDeclaration" || defined.name === "ClassDefinition"
    return [
      {
        node,
        start: beginningOf(text, node),
        end: node.to,
        name: text.slice(named.from, named.to),
        body: isClass ? children.find((child) => bodies.has(child.name)) : undefined
      }
    ]
  })

/** A definition as one part, or a large class as its opening and its members. */
const partsOf = (
  text: string,
  definition: Definition,
  outer: ReadonlyArray<string>
): ReadonlyArray<OutlinePart> => {
  const path = [...outer, definition.name]
  const whole: OutlinePart = { start: definition.start, end: definition.end, kind: "definition", path }
  if (
    definition.body === undefined ||
    utf8ByteLength(text.slice(whole.start, whole.end)) <= MAX_CHUNK_BYTES
  ) {
    return [whole]
  }
  const members = definitionsIn(text, definition.body)
  const [first] = members
  if (first === undefined) return [whole]
  const last = members.at(-1)!
  return [
    { ...whole, end: first.start },
    ...members.flatMap((member) => partsOf(text, member, path)),
    ...(last.end < whole.end ? [{ ...whole, start: last.end }] : [])
  ]
}

/** The definitions of source code whose file name ends in `extension`; of an unknown language none. */
export const codeDefinitions = (extension: string, text: string): ReadonlyArray<OutlinePart> => {
  const parser = parsers[extension]
  if (parser === undefined) return []
  const root = parser.parse(text).topNode
  return definitionsIn(text, root).flatMap((definition) => partsOf(text, definition, []))
}
