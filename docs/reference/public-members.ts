// What each entry point of the package exports: the declarations behind its names, found by reading the sources. No compiler is asked, so
// this takes no longer than parsing.
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type ESTree, parseSync } from "rolldown/utils"
import { childrenOf } from "./signature.ts"

export const repository = fileURLToPath(new URL("../..", import.meta.url))

/** One declaration of a source file. */
export interface Declaration {
  readonly name: string
  readonly file: string
  /** The statement without its comment, as it is written. */
  readonly text: string
  /** The comment before it, without its stars; empty where there is none. */
  readonly doc: string
  readonly node: ESTree.Node
}

/** A name that an entry point exports. */
export interface Member {
  readonly name: string
  readonly declaration: Declaration
  /** The names below a namespace. */
  readonly members: ReadonlyArray<Member>
}

interface Source {
  readonly file: string
  readonly text: string
  readonly program: ESTree.Program
  readonly comments: ReadonlyArray<{ readonly start: number; readonly end: number; readonly value: string }>
}

const sources = new Map<string, Source>()

const sourceOf = (file: string): Source => {
  const known = sources.get(file)
  if (known !== undefined) return known
  const text = readFileSync(join(repository, file), "utf8")
  const { comments, program } = parseSync(file, text)
  const source = { file, text, program, comments }
  sources.set(file, source)
  return source
}

/** The text of a comment without the stars at the beginning of its lines. */
const plainComment = (value: string): string =>
  value
    .replace(/^\*/, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .join("\n")
    .trim()

/** The documenting comment that ends where a node begins. */
const docBefore = (file: string, start: number): string => {
  const { comments, text } = sourceOf(file)
  const comment = comments.findLast(({ end }) => end <= start)
  if (comment === undefined || !comment.value.startsWith("*")) return ""
  return text.slice(comment.end, start).trim() === "" ? plainComment(comment.value) : ""
}

/** True for a member that is called, run or streamed. */
const isOperation = ({ typeAnnotation }: ESTree.TSPropertySignature): boolean => {
  const type = typeAnnotation?.typeAnnotation
  if (type?.type === "TSFunctionType") return true
  if (type?.type !== "TSTypeReference" || type.typeName.type !== "TSQualifiedName") return false
  const { left } = type.typeName
  return left.type === "Identifier" && ["Effect", "Stream"].includes(left.name)
}

const operationsIn = (node: ESTree.Node): ReadonlyArray<ESTree.TSPropertySignature> =>
  node.type === "TSPropertySignature"
    ? isOperation(node)
      ? [node]
      : []
    : childrenOf(node).flatMap(operationsIn)

/** The operations of a declared interface or service that have no comment. */
export const silentOperations = ({ file, node }: Declaration): ReadonlyArray<string> =>
  node.type === "TSInterfaceDeclaration" || node.type === "ClassDeclaration"
    ? operationsIn(node).flatMap(({ key, start }) =>
        docBefore(file, start) === "" && key.type === "Identifier" ? [key.name] : []
      )
    : []

const declaredNames = (node: ESTree.Node): ReadonlyArray<string> => {
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  }
  return "id" in node && node.id !== null && node.id?.type === "Identifier" ? [node.id.name] : []
}

/** The names that stand for members of a value: `{ build: buildBundle }`, `static readonly restore = restoreLedger`. */
const aliases = (file: string, node: ESTree.Node): ReadonlyArray<Member> => {
  if (node.type === "TSAsExpression") return aliases(file, node.expression)
  if (node.type === "VariableDeclaration") {
    return node.declarations.flatMap(({ init }) => (init === null ? [] : aliases(file, init)))
  }
  if (node.type === "ClassDeclaration") return node.body.body.flatMap((member) => aliases(file, member))
  if (node.type === "ObjectExpression") return node.properties.flatMap((property) => aliases(file, property))
  if (node.type === "SpreadElement" && node.argument.type === "Identifier") {
    return found(file, node.argument.name).flatMap(({ declaration }) =>
      aliases(declaration.file, declaration.node)
    )
  }
  return (node.type === "PropertyDefinition" && node.static) || node.type === "Property"
    ? aliased(file, node)
    : []
}

const aliased = (
  file: string,
  { key, value }: { readonly key: ESTree.Node; readonly value: ESTree.Node | null }
): ReadonlyArray<Member> =>
  key.type === "Identifier" && value?.type === "Identifier"
    ? found(file, value.name, key.name).filter(
        (member) => member.declaration.text.includes("=>") || member.declaration.text.includes("function")
      )
    : []

const target = (file: string, specifier: string): string => join(dirname(file), specifier)

/** The declarations with this name in a file: a value and a type may share it. */
const declared = (file: string, name: string): ReadonlyArray<Declaration> => {
  const { program, text } = sourceOf(file)
  return program.body.flatMap((statement) => {
    const node =
      statement.type === "ExportNamedDeclaration" && statement.declaration ? statement.declaration : statement
    if (!declaredNames(node).includes(name)) return []
    const { end, start } = statement
    return [
      {
        name,
        file,
        text: text.slice(node.start, end),
        doc: docBefore(file, start),
        node
      }
    ]
  })
}

const importedName = ({ imported }: ESTree.ImportSpecifier): string =>
  imported.type === "Identifier" ? imported.name : imported.value

/** Where a name that a file has imported comes from. */
const imported = (file: string, local: string): ReadonlyArray<Member> =>
  sourceOf(file).program.body.flatMap((statement) => {
    if (statement.type !== "ImportDeclaration" || !statement.source.value.startsWith(".")) return []
    return statement.specifiers.flatMap((specifier) => {
      if (specifier.local.name !== local) return []
      const from = target(file, statement.source.value)
      if (specifier.type === "ImportNamespaceSpecifier") return [namespaceMember(local, from)]
      return specifier.type === "ImportSpecifier" ? found(from, importedName(specifier)) : []
    })
  })

/** The comment at the beginning of a file. */
export const fileComment = (file: string): string =>
  /^(?:\/\/ .*\n)+/
    .exec(sourceOf(file).text)?.[0]
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(3))
    .join("\n") ?? ""

const namespaceMember = (name: string, file: string): Member => ({
  name,
  declaration: { name, file, text: "", doc: fileComment(file), node: sourceOf(file).program },
  members: exportsOf(file)
})

/** What a name of a file means there. */
const found = (file: string, name: string, as: string = name): ReadonlyArray<Member> => {
  const here = declared(file, name).map((declaration) => ({ name: as, declaration, members: [] }))
  if (here.length > 0) return here
  const brought = imported(file, name).map(({ declaration, members }) => ({ name: as, declaration, members }))
  return brought.length > 0 ? brought : exportsOf(file).filter((member) => member.name === name)
}

/** The same member with what stands behind the names of its members. */
const withAliases = (member: Member): Member =>
  member.members.length > 0
    ? member
    : { ...member, members: aliases(member.declaration.file, member.declaration.node) }

const specifierName = (node: ESTree.ModuleExportName): string =>
  node.type === "Literal" ? node.value : node.name

/** Everything that a file exports, in its order. */
const exportsOf = (file: string): ReadonlyArray<Member> =>
  sourceOf(file).program.body.flatMap((statement) => {
    if (statement.type === "ExportAllDeclaration") {
      const from = target(file, statement.source.value)
      return statement.exported === null
        ? exportsOf(from)
        : [namespaceMember(specifierName(statement.exported), from)]
    }
    if (statement.type !== "ExportNamedDeclaration") return []
    if (statement.declaration) {
      return declaredNames(statement.declaration).flatMap((name) => found(file, name))
    }
    const from = statement.source === null ? file : target(file, statement.source.value)
    return statement.specifiers.flatMap(({ exported, local }) =>
      found(from, specifierName(local), specifierName(exported))
    )
  })

export interface EntryPoint {
  /** What programs import. */
  readonly name: string
  readonly file: string
}

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

/** The files that programs load by themselves: they export nothing. */
const LOADED_ALONE = new Set(["./cassette-child", "./cutting-thread"])

/** Everything that an entry point exports, with the members of its values. */
export const publicMembers = ({ file }: EntryPoint): ReadonlyArray<Member> => exportsOf(file).map(withAliases)

/** The entry points of package.json with their sources. */
export const entryPoints = (): ReadonlyArray<EntryPoint> => {
  const manifest: Manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"))
  return Object.entries(manifest.exports).flatMap(([path, where]) =>
    typeof where === "string" || LOADED_ALONE.has(path)
      ? []
      : [
          {
            name: join(manifest.name, path),
            file: where.types.replace(/^.*\/types\//, "").replace(/\.d\.ts$/, ".ts")
          }
        ]
  )
}
