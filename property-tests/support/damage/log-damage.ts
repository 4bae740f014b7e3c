// Damage to the write-ahead log of a file, which is the newest part of it until it is moved into the file.

import type { Choice, Damage } from "./page-damage.ts"

const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Changes a copy of the log, and may name other bytes of the file. */
const logDamage =
  (change: (wal: Buffer, choice: Choice) => { readonly wal?: Buffer; readonly bytes?: Buffer }): Damage =>
  (choice) => {
    const { honest } = choice
    if (honest.wal.length === 0) return undefined
    const copy = Buffer.from(honest.wal)
    const { bytes = honest.bytes, wal = copy } = change(copy, choice)
    return wal.equals(honest.wal) && bytes.equals(honest.bytes) ? undefined : { bytes, wal }
  }

export const walDamage: Readonly<Record<string, Damage>> = {
  "bit of the log": logDamage((wal, { dice }) => {
    const at = dice.under(wal.length)
    wal.writeUInt8(wal.readUInt8(at) ^ (1 << dice.under(8)), at)
    return {}
  }),
  "the log is cut": logDamage((wal, { dice }) => ({ wal: wal.subarray(0, dice.under(wal.length)) })),
  "the log is gone": logDamage(() => ({ wal: Buffer.alloc(0) })),
  "the log of another file": logDamage((_, { other }) => ({ wal: other.wal })),
  "frames of the log change places": logDamage((wal, { dice, honest: { anatomy, wal: honest } }) => {
    const frame = FRAME_HEADER_BYTES + anatomy.pageSize
    const count = (wal.length - WAL_HEADER_BYTES) / frame
    const [one, two] = [dice.under(count), dice.under(count)].map((n) => WAL_HEADER_BYTES + n * frame)
    honest.copy(wal, one, two, two! + frame)
    honest.copy(wal, two, one, one! + frame)
    return {}
  }),
  "a file of another moment under the log": logDamage((_, { dice, honest: { anatomy, bytes }, other }) => {
    const file = Buffer.from(bytes)
    const page = dice.under(anatomy.count)
    const [begin, end] = [page * anatomy.pageSize, (page + 1) * anatomy.pageSize]
    file.fill(0, begin, end)
    if (dice.once(2) && end <= other.bytes.length) other.bytes.copy(file, begin, begin, end)
    return { bytes: file }
  })
}
