// The pages of an SQLite file as bytes, read from its format description: whose page is which, where its cells stand and
// where they end. It is told by SQLite which page belongs to which table or index, and only of sound files.

import Database from "better-sqlite3"
import { withoutLog } from "../../../infrastructure/testing/disarmed-ledger.ts"

/** Size of the header of the file, at the beginning of the first page (bytes). */
export const FILE_HEADER_BYTES = 100

export interface BTreePage {
  readonly number: number
  /** The table or index that the page belongs to. */
  readonly owner: string
  readonly kind: "internal" | "leaf" | "overflow"
}

export interface Cell {
  /** Where the page keeps the cell's place. */
  readonly pointer: number
  readonly start: number
  /** Where the payload begins, or the cell ends that has none. */
  readonly payload: number
  readonly end: number
  /** Where the number of the first overflow page stands. */
  readonly overflow: number | undefined
}

const varintAt = (bytes: Buffer, at: number): readonly [value: number, next: number] => {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 127)
    if (byte < 128) return [value, at + index + 1]
  }
  return [value * 256 + bytes.readUInt8(at + 8), at + 9]
}

/** How much of a payload stands in the page itself (bytes). */
const localBytes = (usable: number, isTable: boolean, payload: number): number => {
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (payload <= most) return payload
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const local = least + ((payload - least) % (usable - 4))
  return local <= most ? local : least
}

export class PageAnatomy {
  readonly bytes: Buffer
  readonly pageSize: number
  readonly count: number
  /** Pages of tables and indexes. */
  readonly pages: ReadonlyArray<BTreePage>
  /** Pages of the freelist: those that list others, and those that are listed. */
  readonly trunks: ReadonlyArray<number>
  readonly free: ReadonlyArray<number>

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.pageSize = bytes.readUInt16BE(16)
    this.count = bytes.length / this.pageSize
    const database = new Database(withoutLog(bytes))
    this.pages = database
      .prepare<[], BTreePage>(
        "SELECT pageno AS number, name AS owner, pagetype AS kind FROM dbstat ORDER BY pageno"
      )
      .all()
    database.close()
    const trunks: Array<number> = []
    const free: Array<number> = []
    for (let trunk = bytes.readUInt32BE(32); trunk !== 0; trunk = bytes.readUInt32BE(this.at(trunk))) {
      trunks.push(trunk)
      for (let index = 0; index < bytes.readUInt32BE(this.at(trunk) + 4); index++) {
        free.push(bytes.readUInt32BE(this.at(trunk) + 8 + 4 * index))
      }
    }
    this.trunks = trunks
    this.free = free
  }

  /** Where a page begins in the file. */
  at(page: number): number {
    return (page - 1) * this.pageSize
  }

  /** Where the header of a page's tree begins. */
  headerAt(page: number): number {
    return page === 1 ? FILE_HEADER_BYTES : this.at(page)
  }

  /** Pages with cells. */
  get trees(): ReadonlyArray<BTreePage> {
    return this.pages.filter(({ kind }) => kind !== "overflow")
  }

  /** The cells of a page of a tree, in their order. */
  cells(page: number): ReadonlyArray<Cell> {
    const { bytes, pageSize } = this
    const header = this.headerAt(page)
    const type = bytes.readUInt8(header)
    const isInternal = type === 2 || type === 5
    const isTable = type === 5 || type === 13
    return Array.from({ length: bytes.readUInt16BE(header + 3) }, (_, index) => {
      const pointer = header + (isInternal ? 12 : 8) + 2 * index
      const start = this.at(page) + bytes.readUInt16BE(pointer)
      const first = isInternal ? start + 4 : start
      if (isInternal && isTable) {
        const [, end] = varintAt(bytes, first)
        return { pointer, start, payload: end, end, overflow: undefined }
      }
      const [length, afterLength] = varintAt(bytes, first)
      const payload = isTable ? varintAt(bytes, afterLength)[1] : afterLength
      const local = localBytes(pageSize, isTable, length)
      const overflow = local === length ? undefined : payload + local
      return { pointer, start, payload, end: payload + local + (local === length ? 0 : 4), overflow }
    })
  }
}
