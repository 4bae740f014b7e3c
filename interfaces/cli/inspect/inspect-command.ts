// `cortex inspect`: one page about a ledger, served on this machine alone or written to a file. Nothing that it looks at is changed.
import { existsSync } from "node:fs"
import { basename } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { AllowNetworkFs, ledgerFlags } from "../cassette/ledger-flags.ts"
import { oneStandardInput, readEvidence, readTrust } from "../cassette/evidence-files.ts"
import { ledgerFile } from "../cassette/open-ledger.ts"
import { networkFileOptions, networkFlags } from "../network/network-flags.ts"
import { networkOpener } from "../network/network-opener.ts"
import { writeNewFile } from "../new-file.ts"
import { answer } from "../output.ts"
import { withProgress } from "../progress.ts"
import type { Inspected } from "../../inspect/questions.ts"
import { openedOnce } from "../../shared/opened-once.ts"
import { textFlag, trustFlag } from "../../shared/flags.ts"
import { absolutePath, refusedFlag, switchFlag, wholeNumberFlag } from "../../shared/options.ts"
import { fieldLines } from "../../shared/terminal-text.ts"

/** Largest number of a port. */
const LAST_PORT = 65_535

/** A ledger, open until the scope ends. */
const inspectedFile = Effect.fnUntraced(function* (
  checkpoint: Option.Option<string>,
  trust: Option.Option<string>,
  withNetwork: boolean
) {
  const file = yield* ledgerFile("read")
  const { inspectedLedger } = yield* Effect.promise(() => import("../../embedding/inspected-ledger.ts"))
  const { History } = yield* Effect.promise(() => import("../../../application/history/history.ts"))
  const { Inspection } = yield* Effect.promise(() => import("../../../application/inspection/inspection.ts"))
  const network = yield* networkFileOptions
  const hasNetwork = withNetwork && existsSync(network.file)
  const openNetwork = yield* networkOpener
  const networkOnce = yield* openedOnce(() => openNetwork)
  const options = {
    file,
    network: hasNetwork ? network.file : undefined,
    allowNetworkFs: yield* AllowNetworkFs,
    checkpoint: Option.isSome(checkpoint) ? yield* readEvidence("--checkpoint", checkpoint.value) : undefined,
    trust: Option.isSome(trust) ? yield* readTrust(trust.value) : undefined
  }
  const context = yield* Layer.build(inspectedLedger(file, options))
  return {
    inspection: Context.get(context, Inspection),
    history: Context.get(context, History),
    verification: options,
    network: hasNetwork ? networkOnce(undefined) : undefined
  }
})

/** A dossier or a bundle, which is verified when it is read. */
const inspectedPath = Effect.fnUntraced(function* (given: string, trust: Option.Option<string>) {
  const { inspectedEvidence } = yield* Effect.promise(() => import("../../embedding/inspected-evidence.ts"))
  const path = yield* absolutePath("evidence", given)
  if (!existsSync(path)) return yield* refusedFlag("evidence", `there is no ${path}`)
  const whom = Option.isSome(trust) ? yield* readTrust(trust.value) : undefined
  const evidence = yield* inspectedEvidence(path, whom).pipe(
    Effect.catchTag("NotADossierArchive", ({ message }) => Effect.fail(refusedFlag("evidence", message)))
  )
  return { evidence }
})

/** Serves until the process is stopped. */
const serve = Effect.fnUntraced(function* (looked: Inspected, port: number) {
  const { bundledPage } = yield* Effect.promise(() => import("../../inspect/page-file.ts"))
  const { servePage } = yield* Effect.promise(() => import("../../inspect/server.ts"))
  const { url } = yield* servePage(looked, bundledPage(), port).pipe(
    Effect.catch(({ message }) =>
      Effect.fail(refusedFlag("--port", `${port} cannot be listened on (${message}): choose another`))
    )
  )
  yield* answer({ data: { url }, lines: () => [url] })
  yield* Effect.never
})

export const inspectCommand = Command.make(
  "inspect",
  {
    evidence: Argument.String("evidence").pipe(
      Argument.withDescription("a dossier or a bundle to look at in place of the ledger"),
      Argument.optional
    ),
    port: wholeNumberFlag("port", 0).pipe(
      Flag.withDefault(0),
      Flag.withDescription("the port on this machine (default 0: any that is free)")
    ),
    checkpoint: textFlag(
      "checkpoint",
      "FILE",
      "the newest signed checkpoint, for proofs; - is standard input"
    ).pipe(Flag.optional),
    trust: trustFlag.pipe(Flag.optional),
    out: textFlag("out", "FILE", "write the page to a new file instead, with what it shows inside").pipe(
      Flag.optional
    ),
    verify: switchFlag("verify", "with --out: verify first, and save the verdict")
  },
  Effect.fnUntraced(function* ({ checkpoint, evidence, out, port, trust, verify }) {
    if (port > LAST_PORT) return yield* refusedFlag("--port", `a port is at most ${LAST_PORT}`)
    const looked: Inspected = Option.isSome(evidence)
      ? yield* inspectedPath(evidence.value, trust)
      : yield* inspectedFile(checkpoint, trust, Option.isNone(out))
    if (Option.isNone(out)) return yield* serve(looked, port)
    const { bundledPage, savedPage } = yield* Effect.promise(() => import("../../inspect/page-file.ts"))
    const { savedAnswers } = yield* Effect.promise(() => import("../../inspect/saved-answers.ts"))
    const saved = yield* savedAnswers(looked, verify).pipe(withProgress())
    const path = yield* writeNewFile("--out", out.value, savedPage(bundledPage(), saved))
    yield* answer({
      data: { file: path, answers: Object.keys(saved.answers).length, left_off: saved.left_off },
      lines: () =>
        fieldLines([
          ["page", path],
          ["holds", saved.left_off ?? `everything in ${basename(path)}`]
        ])
    })
  }, Effect.scoped)
).pipe(
  Command.validate(({ checkpoint, out, trust, verify }) =>
    verify && Option.isNone(out)
      ? Effect.fail(
          new CliError.ValidationError({
            message: "Use --verify with --out; the served page has a button for it"
          })
        )
      : oneStandardInput(checkpoint, trust)
  ),
  Command.withDescription(
    "Look at a ledger in a browser: the verdict, what is stuck, what failed, every run with its steps, attempts, receipts and thoughts, and the network. The page is served on this machine alone and needs the secret in the printed address; it only reads, and the file is not changed. It ends with Ctrl-C. With --out the page is written to a file that needs no server. Given a dossier or a bundle, the page shows that one, verified, without a ledger."
  ),
  Command.withShortDescription("look at a ledger in a browser"),
  Command.withExamples([
    { command: "cortex inspect" },
    { command: "cortex inspect --db work.db --checkpoint monday.txt --trust trust.json" },
    { command: "cortex inspect --db work.db --out page.html --verify", description: "one file to hand over" },
    {
      command: "cortex inspect evidence.tar --trust trust.json",
      description: "a dossier, without its ledger"
    }
  ]),
  Command.withGlobalFlags([...ledgerFlags, ...networkFlags])
)
