// When a stat proves that a text is still the one that was hashed. A change right before or after hashing can leave the
// very same times, since clocks of file systems are coarse: so young a change proves nothing, and the text is read again.
import { RACY_MILLIS } from "./limits.ts"
import type { FileRow, FileStat } from "./rows.ts"

const NANOS_PER_MILLI = 1_000_000n

/** True when both stats are of one unchanged file. */
export const sameStat = (left: FileStat, right: FileStat): boolean =>
  left.size === right.size &&
  left.mtime_ns === right.mtime_ns &&
  left.ctime_ns === right.ctime_ns &&
  left.inode === right.inode

/** True when the file's stat shows that its text is the one that was indexed. */
export const isUnchanged = (file: FileRow, stat: FileStat): boolean => {
  if (!sameStat(file, stat)) return false
  const safe = BigInt(file.hashed_at_ms - RACY_MILLIS) * NANOS_PER_MILLI
  return BigInt(file.mtime_ns) <= safe && BigInt(file.ctime_ns) <= safe
}
