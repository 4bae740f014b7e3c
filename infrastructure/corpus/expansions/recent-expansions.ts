// Expansions that this process has had from an append-only store, so that having them again costs no statement. What
// stands in such a store stands forever, so nothing here can be out of date; only what was found is kept, never
// that something was missing. The memory is bounded: when it is full everything is forgotten.
import { type Expansion, type ExpansionKey, keyText } from "../../../domain/corpus/expansion.ts"

/** Most bytes of payload that are kept (8 MiB). */
const MAX_KEPT_BYTES = 8 * 1_048_576

/** What one expansion takes beside its payload, about (bytes). */
const ENTRY_BYTES = 1_024

/** Largest payload that is kept (256 KiB). */
const MAX_ENTRY_BYTES = 262_144

export interface RecentExpansions {
  readonly find: (key: ExpansionKey) => Expansion | undefined
  readonly keep: (expansion: Expansion) => void
}

export const makeRecentExpansions = (): RecentExpansions => {
  const kept = new Map<string, Expansion>()
  let bytes = 0
  return {
    find: (key) => kept.get(keyText(key)),
    keep: (expansion) => {
      if (expansion.bytes_expanded > MAX_ENTRY_BYTES) return
      bytes += expansion.bytes_expanded + ENTRY_BYTES
      if (bytes > MAX_KEPT_BYTES) {
        kept.clear()
        bytes = expansion.bytes_expanded + ENTRY_BYTES
      }
      kept.set(keyText(expansion), expansion)
    }
  }
}
