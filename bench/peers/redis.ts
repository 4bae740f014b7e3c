// A Redis of its own for a benchmark: Debian's server, fetched by hash and unpacked into a scratch folder, on loopback, with every write
// flushed before it is answered. It is stopped afterwards.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type DebianPackage, unpack } from "../support/debian-packages.ts"
import { freePort } from "./postgres.ts"

const PACKAGES: ReadonlyArray<DebianPackage> = [
  [
    "pool/main/r/redis/redis-tools_7.0.15-1~deb12u7_amd64.deb",
    "3c8cd27847c6a06b6f6c29e7415a9057462a89661e3a8e2eb8dd5b2d7830bb40"
  ],
  [
    "pool/main/j/jemalloc/libjemalloc2_5.3.0-1_amd64.deb",
    "a4117c23c5c8acf6c9678a6cb086f000b79476369da7efe8a78a70826956ad3d"
  ],
  [
    "pool/main/libl/liblzf/liblzf1_3.6-3_amd64.deb",
    "9854b0866201b63e04f1e446f45f01ef4a6f72c61f2250b75f944f6046cc7e8c"
  ]
]

/** Runs `work` with the port of a server whose files lie below this folder, or with undefined where it cannot be had. */
export const withRedis = async <A>(
  folder: string,
  work: (port: number | undefined) => Promise<A>
): Promise<A> => {
  const place = join(folder, "redis")
  const data = join(place, "data")
  mkdirSync(data, { recursive: true })
  if (process.arch !== "x64" || !(await unpack(PACKAGES, place))) return work(undefined)
  const port = await freePort()
  const durably = [
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--save",
    "",
    "--maxmemory-policy",
    "noeviction"
  ]
  const server = spawn(
    join(place, "usr/bin/redis-check-rdb"),
    ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", data, ...durably],
    {
      // One program with several names; by this one it is the server.
      argv0: "redis-server",
      env: { LD_LIBRARY_PATH: join(place, "usr/lib/x86_64-linux-gnu") },
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  const ended = once(server, "exit")
  try {
    const lines = createInterface({ input: server.stdout })
    const ready = new Promise<boolean>((resolve) => {
      lines.on("line", (text) => text.includes("Ready to accept connections") && resolve(true))
    })
    const isReady = await Promise.race([ready, ended.then(() => false)])
    return await work(isReady ? port : undefined)
  } finally {
    server.kill()
    await ended
  }
}
