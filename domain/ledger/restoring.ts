// Whether a backup may take a ledger's place: what would be lost is said before anything is lost. Pure: the two histories
// are told by their heads and by the event of the longer one that stands where the shorter one ends.
import { RestoreRefused } from "./errors.ts"

/** A history as far as restoring must know it. */
export interface RestorableHistory {
  readonly size: number
  readonly hash: string
  /** The hash of the event at a position, if there is one. */
  readonly hashAt: (position: number) => string | undefined
}

const howToGoOn =
  "to put the backup in its place all the same, and keep what it replaces beside it, use --discard-newer"

/** Why `backup` may not replace the sound history `standing` of the same ledger, or undefined. */
export const restoreRefusal = (
  file: string,
  standing: RestorableHistory,
  backup: RestorableHistory
): RestoreRefused | undefined => {
  const common = Math.min(standing.size, backup.size)
  if (standing.hashAt(common) !== backup.hashAt(common)) {
    return new RestoreRefused({
      file,
      code: "HISTORIES_DIFFER",
      reason: `its event ${common} is not the backup's: the two histories went different ways; ${howToGoOn}`
    })
  }
  const newer = standing.size - backup.size
  return newer > 0
    ? new RestoreRefused({
        file,
        code: "NEWER_EVENTS",
        reason: `${newer} event(s) are newer than the backup and would go (positions ${backup.size + 1} to ${standing.size}); ${howToGoOn}`
      })
    : undefined
}
