// Damage to the bytes of a file: bits, runs of bytes, pages, cells, the list of free pages and the length of the file. A
// kind gives the damaged file, or nothing where this file has no such place.

import type { BTreePage, Cell, PageAnatomy } from "./page-anatomy.ts"
import { FILE_HEADER_BYTES } from "./page-anatomy.ts"
import type { Dice } from "../hostile/dice.ts"
import type { HonestFile } from "./honest-files.ts"

/** A damaged file and its log, which may be empty. */
export interface Damaged {
  readonly bytes: Buffer
  readonly wal: Buffer
}

export interface Choice {
  readonly dice: Dice
  readonly honest: HonestFile
  /** An honest file of another store in the same shape. */
  readonly other: HonestFile
}

export type Damage = (choice: Choice) => Damaged | undefined

/** Changes a copy of the bytes; what the change gives, if anything, is the file instead. */
const bytesDamage =
  (change: (bytes: Buffer, choice: Choice) => Buffer | boolean | void): Damage =>
  (choice) => {
    const copy = Buffer.from(choice.honest.bytes)
    const changed = change(copy, choice)
    if (changed === false) return undefined
    const bytes = Buffer.isBuffer(changed) ? changed : copy
    return bytes.equals(choice.honest.bytes) ? undefined : { bytes, wal: choice.honest.wal }
  }

const turnBit = (bytes: Buffer, at: number, dice: Dice): void => {
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << dice.under(8)), at)
}

/** Turns a bit over in one of these ranges (begin, end). */
const bitIn = (places: (anatomy: PageAnatomy, dice: Dice) => readonly [number, number] | undefined): Damage =>
  bytesDamage((bytes, { dice, honest }) => {
    const range = places(honest.anatomy, dice)
    if (range === undefined || range[0] >= range[1]) return false
    turnBit(bytes, range[0] + dice.under(range[1] - range[0]), dice)
    return true
  })

const somePage = (
  { trees }: PageAnatomy,
  dice: Dice,
  fits: (page: BTreePage) => boolean = () => true
): BTreePage | undefined => {
  const pages = trees.filter(fits)
  return pages.length === 0 ? undefined : dice.pick(pages)
}

const someCell = (
  anatomy: PageAnatomy,
  dice: Dice,
  fits: (cell: Cell) => boolean = () => true
): Cell | undefined => {
  const page = somePage(anatomy, dice, ({ number }) => anatomy.cells(number).some(fits))
  return page && dice.pick(anatomy.cells(page.number).filter(fits))
}

const typeOf = (anatomy: PageAnatomy, page: number): number => anatomy.bytes.readUInt8(anatomy.headerAt(page))

const isIndexPage = (anatomy: PageAnatomy, { number }: BTreePage): boolean =>
  [2, 10].includes(typeOf(anatomy, number))

const pageHeader = (
  anatomy: PageAnatomy,
  page: BTreePage | undefined
): readonly [number, number] | undefined => {
  if (page === undefined) return undefined
  const at = anatomy.headerAt(page.number)
  return [at, at + (page.kind === "leaf" ? 8 : 12)]
}

const wholePage = (anatomy: PageAnatomy, page: number): readonly [number, number] => [
  anatomy.at(page),
  anatomy.at(page) + anatomy.pageSize
]

export const bitDamage: Readonly<Record<string, Damage>> = {
  "bit anywhere": bitIn(({ bytes }) => [0, bytes.length]),
  "bit of the file's header": bitIn(() => [0, FILE_HEADER_BYTES]),
  "bit of a page's header": bitIn((anatomy, dice) => pageHeader(anatomy, somePage(anatomy, dice))),
  "bit of a cell's place": bitIn((anatomy, dice) => {
    const cell = someCell(anatomy, dice)
    return cell && [cell.pointer, cell.pointer + 2]
  }),
  "bit of a cell's header": bitIn((anatomy, dice) => {
    const cell = someCell(anatomy, dice)
    return cell && [cell.start, Math.min(cell.payload + 4, cell.end)]
  }),
  "bit of a payload": bitIn((anatomy, dice) => {
    const cell = someCell(anatomy, dice, ({ end, payload }) => end > payload)
    return cell && [cell.payload, cell.end]
  }),
  "bit of an overflow": bitIn((anatomy, dice) => {
    const pages = anatomy.pages.filter(({ kind }) => kind === "overflow")
    if (pages.length === 0) return undefined
    const at = anatomy.at(dice.pick(pages).number)
    return dice.once(2) ? [at, at + 4] : [at, at + anatomy.pageSize]
  }),
  "bit of an overflow's place": bitIn((anatomy, dice) => {
    const cell = someCell(anatomy, dice, ({ overflow }) => overflow !== undefined)
    return cell?.overflow === undefined ? undefined : [cell.overflow, cell.overflow + 4]
  }),
  "bit of the schema": bitIn((anatomy, dice) => {
    const page = dice.pick(anatomy.pages.filter(({ owner }) => owner === "sqlite_schema"))
    return wholePage(anatomy, page.number)
  }),
  "bit of an index": bitIn((anatomy, dice) => {
    const page = somePage(anatomy, dice, (each) => isIndexPage(anatomy, each))
    return page && wholePage(anatomy, page.number)
  }),
  "bit of an empty tree": bitIn((anatomy, dice) =>
    pageHeader(
      anatomy,
      somePage(anatomy, dice, ({ number }) => anatomy.cells(number).length === 0)
    )
  ),
  "bit of the freelist": bitIn((anatomy, dice) => {
    if (anatomy.trunks.length === 0 || dice.once(3)) return [32, 40]
    const begin = anatomy.at(dice.pick(anatomy.trunks))
    return [begin, begin + 8 + 4 * 8]
  })
}

const run = (fill: (dice: Dice) => number): Damage =>
  bytesDamage((bytes, { dice }) => {
    const begin = dice.under(bytes.length)
    const end = Math.min(bytes.length, begin + 1 + dice.under(dice.pick([4, 64, 600])))
    for (let at = begin; at < end; at++) bytes.writeUInt8(fill(dice), at)
  })

/** Copies a page of one file over a page of another. */
const copyPage = (to: Buffer, page: number, from: Buffer, source: number, pageSize: number): void => {
  from.copy(to, (page - 1) * pageSize, (source - 1) * pageSize, source * pageSize)
}

const usedPage = ({ pages }: PageAnatomy, dice: Dice): number => dice.pick(pages).number

/** The pages whose older content is another one. */
const stalePages = ({ anatomy: { pageSize }, bytes, older }: HonestFile): ReadonlyArray<number> => {
  const slice = (from: Buffer, page: number) => from.subarray((page - 1) * pageSize, page * pageSize)
  return Array.from(
    { length: Math.min(bytes.length, older.length) / pageSize },
    (_each, index) => index + 1
  ).filter((page) => !slice(bytes, page).equals(slice(older, page)))
}

/** Some pages keep their older content, as after writes that were lost. */
const lostWrites = (choose: (dice: Dice, stale: ReadonlyArray<number>) => ReadonlyArray<number>): Damage =>
  bytesDamage((bytes, { dice, honest }) => {
    const stale = stalePages(honest)
    if (stale.length < 2) return false
    for (const page of choose(dice, stale)) copyPage(bytes, page, honest.older, page, honest.anatomy.pageSize)
    return true
  })

export const runDamage: Readonly<Record<string, Damage>> = {
  "zeros over a run": run(() => 0),
  "chance over a run": run((dice) => dice.under(256)),
  "a page of zeros": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    bytes.fill(0, ...wholePage(anatomy, usedPage(anatomy, dice)))
  }),
  "two pages change places": bytesDamage((bytes, { dice, honest: { anatomy, bytes: honest } }) => {
    const [one, two] = [usedPage(anatomy, dice), usedPage(anatomy, dice)]
    copyPage(bytes, one, honest, two, anatomy.pageSize)
    copyPage(bytes, two, honest, one, anatomy.pageSize)
  }),
  "a page stands twice": bytesDamage((bytes, { dice, honest: { anatomy, bytes: honest } }) => {
    copyPage(bytes, usedPage(anatomy, dice), honest, usedPage(anatomy, dice), anatomy.pageSize)
  }),
  "a page is older": lostWrites((dice, stale) => [dice.pick(stale)]),
  "some pages are older": lostWrites((dice, stale) => dice.some(stale)),
  "all pages but one are older": lostWrites((dice, stale) => {
    const newest = dice.pick(stale)
    return stale.filter((page) => page !== newest)
  })
}

const withCount = (bytes: Buffer, count: number): Buffer => {
  bytes.writeUInt32BE(count, 28)
  // The count is believed while these two agree.
  bytes.copy(bytes, 92, 24, 28)
  return bytes
}

export const lengthDamage: Readonly<Record<string, Damage>> = {
  "cut by bytes": bytesDamage((bytes, { dice }) => bytes.subarray(0, dice.under(bytes.length))),
  "cut by pages": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    const left = 1 + dice.under(anatomy.count - 1)
    const cut = bytes.subarray(0, left * anatomy.pageSize)
    return dice.once(2) ? withCount(cut, left) : cut
  }),
  "grown by bytes": bytesDamage((bytes, { dice }) =>
    Buffer.concat([bytes, Buffer.alloc(1 + dice.under(3_000), dice.under(256))])
  ),
  "orphan pages": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    const pages = 1 + dice.under(3)
    const content = dice.once(2)
      ? Buffer.alloc(pages * anatomy.pageSize)
      : bytes.subarray(anatomy.at(2), anatomy.at(2 + pages))
    const grown = Buffer.concat([bytes, content])
    return dice.once(4) ? grown : withCount(grown, anatomy.count + pages)
  })
}

/** Puts a trunk that lists these pages at the end of the file, before all others. */
const listedAsFree = (
  bytes: Buffer,
  { count, pageSize }: PageAnatomy,
  pages: ReadonlyArray<number>
): Buffer => {
  const trunk = Buffer.alloc(pageSize)
  trunk.writeUInt32BE(bytes.readUInt32BE(32), 0)
  trunk.writeUInt32BE(pages.length, 4)
  for (const [index, page] of pages.entries()) trunk.writeUInt32BE(page, 8 + 4 * index)
  const grown = withCount(Buffer.concat([bytes, trunk]), count + 1)
  grown.writeUInt32BE(count + 1, 32)
  grown.writeUInt32BE(bytes.readUInt32BE(36) + 1 + pages.length, 36)
  return grown
}

export const freelistDamage: Readonly<Record<string, Damage>> = {
  "live pages are listed as free": bytesDamage((bytes, { dice, honest: { anatomy } }) =>
    listedAsFree(
      bytes,
      anatomy,
      Array.from({ length: 1 + dice.under(4) }, () => usedPage(anatomy, dice))
    )
  ),
  "a free entry names a live page": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    if (anatomy.free.length === 0) return false
    const trunk = anatomy.at(dice.pick(anatomy.trunks))
    bytes.writeUInt32BE(
      usedPage(anatomy, dice),
      trunk + 8 + 4 * dice.under(Math.max(1, bytes.readUInt32BE(trunk + 4)))
    )
    return true
  }),
  "a free page is listed twice": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    if (anatomy.free.length === 0) return false
    const trunk = anatomy.at(dice.pick(anatomy.trunks))
    bytes.writeUInt32BE(
      dice.pick(anatomy.free),
      trunk + 8 + 4 * dice.under(Math.max(1, bytes.readUInt32BE(trunk + 4)))
    )
    return true
  }),
  "the freelist goes in a circle": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    if (anatomy.trunks.length === 0) return false
    bytes.writeUInt32BE(dice.pick(anatomy.trunks), anatomy.at(dice.pick(anatomy.trunks)))
    return true
  }),
  "the count of free pages": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    bytes.writeUInt32BE(dice.pick([0, 1, anatomy.free.length, anatomy.count, bytes.readUInt32BE(36) + 1]), 36)
  }),
  "the freelist is forgotten": bytesDamage((bytes, { honest: { anatomy } }) => {
    if (anatomy.trunks.length === 0) return false
    bytes.fill(0, 32, 40)
    return true
  })
}

/** A page with at least this many cells. */
const pageOfCells = (anatomy: PageAnatomy, dice: Dice, least: number): BTreePage | undefined =>
  somePage(anatomy, dice, ({ number }) => anatomy.cells(number).length >= least)

export const cellDamage: Readonly<Record<string, Damage>> = {
  "two cells change places": bytesDamage((bytes, { dice, honest: { anatomy, bytes: honest } }) => {
    const page = pageOfCells(anatomy, dice, 2)
    if (page === undefined) return false
    const cells = anatomy.cells(page.number)
    const [one, two] = [dice.pick(cells), dice.pick(cells)]
    bytes.writeUInt16BE(honest.readUInt16BE(one.pointer), two.pointer)
    bytes.writeUInt16BE(honest.readUInt16BE(two.pointer), one.pointer)
    return true
  }),
  "a cell stands twice": bytesDamage((bytes, { dice, honest: { anatomy, bytes: honest } }) => {
    const page = pageOfCells(anatomy, dice, 2)
    if (page === undefined) return false
    const cells = anatomy.cells(page.number)
    bytes.writeUInt16BE(honest.readUInt16BE(dice.pick(cells).pointer), dice.pick(cells).pointer)
    return true
  }),
  "a cell is dropped": bytesDamage((bytes, { dice, honest: { anatomy } }) => {
    const page = pageOfCells(anatomy, dice, 1)
    if (page === undefined) return false
    const cells = anatomy.cells(page.number)
    const { end, pointer, start } = dice.pick(cells)
    const after = cells.at(-1)!.pointer + 2
    bytes.copyWithin(pointer, pointer + 2, after)
    const header = anatomy.headerAt(page.number)
    bytes.writeUInt16BE(cells.length - 1, header + 3)
    // The cell's bytes become a free block, so that the page's own account stays right where there was none.
    if (end - start >= 4 && bytes.readUInt16BE(header + 1) === 0) {
      bytes.writeUInt16BE(start - anatomy.at(page.number), header + 1)
      bytes.writeUInt16BE(0, start)
      bytes.writeUInt16BE(end - start, start + 2)
    }
    return true
  })
}
