// A configuration in which everything is said that one can say, with an external cassette that cannot be reached. Nothing
// outside tests may import it.

/** As YAML. */
export const fullConfiguration = `network:
  version: "1.0"
  protocol: "SNP"  # Semantic Network Protocol

cassettes:
  - id: governance
    path: NAVIGATION/CORTEX/db/governance.db
    type: local
    auto_index: true
    capabilities:
      - vectors
      - fts
      - semantic_search

  - id: agi-research
    path: D:/CCC 2.0/AI/AGI/CONTEXT/research/_generated/system1.db
    type: external
    auto_index: false
    capabilities:
      - research
      - fts

indexing:
  model: all-MiniLM-L6-v2
  dimensions: 384
  batch_size: 100

compression:
  symbol_format: "@C:{hash_short}"
  max_expansion_depth: 3
  lazy_expansion: true
`
