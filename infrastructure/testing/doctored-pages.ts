/**
 * Damages the account of pages of a closed database file: what SQLite itself never writes, and may not notice either.
 * Outside tests nothing may import it.
 */
import { readFileSync, writeFileSync } from "node:fs"

/** Changes the bytes of a file. */
export const doctor = (file: string, change: (bytes: Buffer) => Buffer | void): void => {
  const bytes = readFileSync(file)
  writeFileSync(file, change(bytes) ?? bytes)
}

/** The size of the pages of a database (bytes). */
export const pageSizeIn = (bytes: Buffer): number => bytes.readUInt16BE(16)

/** The database with one page more at its end, which nothing uses. */
export const withPage = (bytes: Buffer, page: Buffer = Buffer.alloc(pageSizeIn(bytes))): Buffer => {
  const larger = Buffer.concat([bytes, page])
  larger.writeUInt32BE(larger.readUInt32BE(28) + 1, 28)
  return larger
}

/** The database with a list of free pages in which pages stand that are in use. */
export const withUsedPagesFree = (bytes: Buffer, pages: ReadonlyArray<number>): Buffer => {
  const trunk = Buffer.alloc(pageSizeIn(bytes))
  trunk.writeUInt32BE(pages.length, 4)
  pages.forEach((page, index) => trunk.writeUInt32BE(page, 8 + 4 * index))
  const larger = withPage(bytes, trunk)
  larger.writeUInt32BE(larger.readUInt32BE(28), 32)
  larger.writeUInt32BE(1 + pages.length, 36)
  return larger
}

/** One bit of the file turned over. */
export const withBit = (bytes: Buffer, at: number, bit: number): Buffer => {
  const turned = Buffer.from(bytes)
  turned.writeUInt8(turned.readUInt8(at) ^ (1 << bit), at)
  return turned
}
