// How a cartridge is shown to people, whichever command made or read it.
import type { CartridgeManifest } from "../../../domain/network/cartridges/cartridge.ts"

/** Whose memories it holds, where each agent has its own. */
const ownerText = ({ agent_id, memories }: CartridgeManifest): string => {
  if (memories === "shared") return ""
  return agent_id === null
    ? ", without anybody's own memories (--agent names one)"
    : `, as ${agent_id} sees them`
}

/** What it holds, and the hash that names it. */
export const cartridgeLines = (manifest: CartridgeManifest): ReadonlyArray<string> => {
  const { cassette_id, counts, db_hash, manifest_hash, mutability, sealed } = manifest
  return [
    `cassette ${cassette_id} (${mutability}${sealed ? ", sealed" : ""}), hash ${db_hash}`,
    `${counts.records} records, ${counts.receipts} receipts${ownerText(manifest)}`,
    `manifest ${manifest_hash}`
  ]
}
