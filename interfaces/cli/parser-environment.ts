// The services that effect/cli's types ask for so that flags could prompt, open files or start programs. No flag here
// does, so each is one that says so when it is used; the real ones would double the time until a command starts.
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"

const unused = Effect.die(new Error("the command line uses neither prompts nor child processes"))

/** What `Command.runWith` needs; nothing of it may be used by a command. */
export const parserEnvironment = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: unused,
      rows: unused,
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => unused
    })
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused)
  )
)
