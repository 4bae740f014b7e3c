// What a command needs from the process that runs it: arguments, environment, folder, standard streams and the
// wish to stop. The binary and the tests each make one; no command touches `process` by itself.
import * as Context from "effect/Context"

export type OutputStream = "stdout" | "stderr"

export interface HostShape {
  readonly args: ReadonlyArray<string>
  readonly env: { readonly [name: string]: string | undefined }
  /** Absolute; relative paths on the command line start here. */
  readonly cwd: string
  readonly stdin: () => AsyncIterable<Uint8Array>
  /** Settles when the text is handed over; rejects with Node's error. */
  readonly write: (stream: OutputStream, text: string) => Promise<void>
  readonly isTerminal: (stream: OutputStream) => boolean
  /** How many columns the terminal has that a stream goes to; undefined where there is none. */
  readonly columns: (stream: OutputStream) => number | undefined
  /** Milliseconds since some moment; they never go back. */
  readonly elapsedMillis: () => number
  /** Why something that the process was given cannot be taken as text: no command runs then. */
  readonly notText: string | undefined
  /** Aborted with the signal's name as its reason. */
  readonly stop: AbortSignal
  /** What starts this program once more: a command and its first arguments. */
  readonly self: ReadonlyArray<string>
}

export class Host extends Context.Service<Host, HostShape>()("cortex-cassette/interfaces/cli/Host") {}

/** True when colours may be written to a stream: a terminal, and none were forbidden (NO_COLOR, TERM=dumb). */
export const mayColour = (host: HostShape, stream: OutputStream): boolean =>
  host.isTerminal(stream) && !host.env["NO_COLOR"] && host.env["TERM"] !== "dumb"
