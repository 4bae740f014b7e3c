// Where a benchmark's files lie: on a memory disk, to see the program's own cost, or on the real disk, to see what
// durability costs. Every run gets a new folder, which is always removed.
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileSystemOf } from "./machine.ts"
import type { Place } from "./report.ts"

const MEMORY_DISK = "/dev/shm"

const parentOf = (kind: Place["kind"]): string => {
  if (kind === "memory disk") return existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir()
  return process.env["BENCH_DISK"] ?? tmpdir()
}

/**
 * Runs `work` in a new folder of this kind and removes the folder. Without a memory disk the temporary folder is
 * taken and the place says so; BENCH_DISK names another folder for what belongs on a real disk.
 */
export const inPlace = async <A>(
  kind: Place["kind"],
  work: (folder: string, place: Place) => Promise<A>
): Promise<A> => {
  const parent = parentOf(kind)
  const folder = mkdtempSync(join(parent, "cassette-bench-"))
  const place: Place = {
    kind: kind === "memory disk" && parent !== MEMORY_DISK ? "disk" : kind,
    folder: parent,
    file_system: fileSystemOf(folder)
  }
  try {
    return await work(folder, place)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
