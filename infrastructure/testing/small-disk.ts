// A file system of a few kilobytes in memory, for tests of full disks. It is mounted in a namespace of its own, so it goes with
// the process that was started on it.
import { spawnSync } from "node:child_process"
import { keptFolder } from "./temporary-folder.ts"

/** The words before a command that run it with a small file system mounted at a folder. */
export const onSmallDisk = (folder: string, kibibytes: number): ReadonlyArray<string> => {
  const mount = `mount -t tmpfs -o size=${kibibytes}k tmpfs "${folder}" && exec "$@"`
  return ["unshare", "--mount", "sh", "-c", mount, "sh"]
}

/** True where a small file system can be mounted. */
export const smallDiskMountable = (() => {
  const { folder, remove } = keptFolder()
  const [command = "", ...args] = [...onSmallDisk(folder, 8), "true"]
  const { status } = spawnSync(command, args, { stdio: "ignore" })
  remove()
  if (status !== 0)
    console.warn("SKIPPED: a small file system cannot be mounted here (it needs root on Linux)")
  return status === 0
})()
