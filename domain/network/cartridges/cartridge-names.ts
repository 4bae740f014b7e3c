// The names of a cartridge's files, for those that recognise one: they need nothing of its form.

/** The files of a cartridge, in the order in which a packed one holds them. */
export const CARTRIDGE_FILES = ["manifest.json", "receipts.jsonl", "records.jsonl"] as const
export type CartridgeFile = (typeof CARTRIDGE_FILES)[number]
