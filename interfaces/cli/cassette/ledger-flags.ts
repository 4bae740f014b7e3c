// Flags of every command that opens a ledger: which file, how durable, on which file systems.
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { switchFlag } from "../../shared/options.ts"

/** A ledger file by its own path. */
export const Db = GlobalFlag.Setting("db")({
  flag: Flag.String("db").pipe(
    Flag.withMetavar("FILE"),
    Flag.optional,
    Flag.withDescription("the ledger file itself; wins over --root")
  )
})

/** What an acknowledged command has survived. */
export const Durability = GlobalFlag.Setting("durability")({
  flag: Flag.Literals("durability", ["full", "normal"]).pipe(
    Flag.withMetavar("MODE"),
    Flag.withDefault("full"),
    Flag.withDescription(
      "full (the default): survives a power cut; normal: quicker, a power cut may lose the newest commands"
    )
  )
})

/** Opens a database on NFS or SMB all the same. */
export const AllowNetworkFs = GlobalFlag.Setting("allow-network-fs")({
  flag: switchFlag(
    "allow-network-fs",
    "open a database on a network file system, whose locks cannot be trusted"
  )
})

/** The flags in the order in which help shows them. */
export const ledgerFlags = [Db, Durability, AllowNetworkFs] as const
