// The configuration that `network init` writes: one cassette for all texts below the root, two for memories, and the
// rest of the standard network, active where its folder is there and as comments where it is not.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { STANDARD_CASSETTES } from "../../../domain/network/configuration.ts"

type Standard = (typeof STANDARD_CASSETTES)[number]

const entry = (
  { bucket, capabilities, id, mutability, type }: Standard,
  hasFiles: boolean
): ReadonlyArray<string> => [
  `  - id: ${id}`,
  `    path: cassettes/${id}.db`,
  "    type: local",
  `    auto_index: ${hasFiles}`,
  `    mutability: ${mutability}`,
  ...(hasFiles ? ["    sources:", `      - "../${bucket}/**"`] : []),
  ...(hasFiles && type !== undefined ? ["    content_types:", `      "../${bucket}/**": ${type}`] : []),
  "    capabilities:",
  ...capabilities.map((capability) => `      - ${capability}`)
]

const header = `# The cassette network of this folder. Paths and globs are relative to this file.
# cortex network index   brings every cassette up to date
# cortex network query   asks all of them
network:
  version: "1.0"
  protocol: "SNP" # Semantic Network Protocol

cassettes:
  # Every text below the folder that holds CORTEX/, without what .gitignore leaves out and
  # without folders that programs fill (node_modules, .venv, ...): a source that names one takes it.
  - id: documents
    path: cassettes/documents.db
    type: local
    auto_index: true
    mutability: mutable
    sources:
      - "../**"
    capabilities:
      - fts
`

const footer = `indexing:
  model: all-MiniLM-L6-v2
  dimensions: 384
  batch_size: 100

compression:
  symbol_format: "@C:{hash_short}"
  max_expansion_depth: 3
  lazy_expansion: true
`

/** The text of a new configuration for a root folder. */
export const networkTemplate = (root: string): string => {
  const entries = STANDARD_CASSETTES.map((standard) => {
    const hasFiles = standard.bucket !== null && existsSync(join(root, standard.bucket))
    const isActive = hasFiles || standard.id === "memory" || standard.id === "resident"
    const lines = entry(standard, hasFiles)
    return isActive ? lines.join("\n") : lines.map((line) => `  # ${line.slice(2)}`).join("\n")
  })
  return `${header}\n${entries.join("\n\n")}\n\n${footer}`
}
