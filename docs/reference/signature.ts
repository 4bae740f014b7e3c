// The signature of a declaration as its source writes it: what functions do inside is left out.
import type { ESTree } from "rolldown/utils"
import { parseSync } from "rolldown/utils"

interface Cut {
  readonly start: number
  readonly end: number
  readonly by: string
}

const isNode = (value: unknown): value is ESTree.Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** The nodes directly below a node. */
export const childrenOf = (node: ESTree.Node): ReadonlyArray<ESTree.Node> =>
  Object.values(node).flat().filter(isNode)

/** True for members of a class that only programs inside it, or JavaScript itself, call. */
const isInternal = (node: ESTree.Node): boolean => {
  if (node.type !== "MethodDefinition" && node.type !== "PropertyDefinition") return false
  return node.override || node.accessibility === "private" || node.key.type === "PrivateIdentifier"
}

/** What of a node is no part of its signature. */
const cutsOf = (node: ESTree.Node, from: number): ReadonlyArray<Cut> => {
  if (isInternal(node)) return [{ start: from, end: node.end, by: "" }]
  switch (node.type) {
    case "FunctionExpression":
    case "FunctionDeclaration": {
      const { body } = node
      return body === null ? [] : [{ start: body.start, end: body.end, by: "{ … }" }]
    }
    case "ArrowFunctionExpression": {
      const { body } = node
      return body.type === "ArrowFunctionExpression"
        ? cutsOf(body, body.start)
        : [{ start: body.start, end: body.end, by: "…" }]
    }
    default: {
      // What is cut of a class begins behind its bracket.
      let last = node.type === "ClassBody" ? node.start + 1 : node.start
      return childrenOf(node).flatMap((child) => {
        const cuts = cutsOf(child, last)
        last = child.end
        return cuts
      })
    }
  }
}

/** The text of a statement without the bodies of its functions and without what is internal to a class. */
export const signatureOf = (text: string): string => {
  const cuts = parseSync("signature.ts", text).program.body.flatMap((node) => cutsOf(node, node.start))
  let at = 0
  const parts: Array<string> = []
  for (const { by, end, start } of cuts) {
    parts.push(text.slice(at, start), by)
    at = end
  }
  return parts
    .concat(text.slice(at))
    .join("")
    .replaceAll(/\n\s*\n/g, "\n")
    .replace(/\{\s*\}$/, "{}")
}
