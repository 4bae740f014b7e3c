// How a cartridge is shown to people, whichever command made or read it.
import type { CartridgeManifest } from "../../../domain/network/cartridge.ts"

/** What it holds, and the hash that names it. */
export const cartridgeLines = ({
  agent_id,
  cassette_id,
  counts,
  db_hash,
  manifest_hash,
  mutability,
  sealed
}: CartridgeManifest): ReadonlyArray<string> => [
  `cassette ${cassette_id} (${mutability}${sealed ? ", sealed" : ""}), hash ${db_hash}`,
  `${counts.records} records, ${counts.receipts} receipts${agent_id === null ? "" : `, as ${agent_id} sees them`}`,
  `manifest ${manifest_hash}`
]
