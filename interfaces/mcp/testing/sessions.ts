// A folder and sessions for each test of a file: the folder is new, every session that was started is ended, and then the
// folder is gone.
import { afterEach, beforeEach } from "vitest"
import { temporaryFolder } from "../../cli/testing/in-process.ts"
import { Session } from "./session.ts"

/** To be called once by a file; `place.folder` is that of the test that runs. */
export const sessionsOfTests = () => {
  let current: ReturnType<typeof temporaryFolder>
  let open: Array<Session> = []
  beforeEach(() => {
    current = temporaryFolder()
    open = []
  })
  afterEach(async () => {
    for (const session of open) await session.close()
    current.remove()
  })
  const place = {
    get folder(): string {
      return current.folder
    }
  }
  /** Starts `cortex mcp ARGS` in the folder, and shakes hands. */
  const start = async (...args: ReadonlyArray<string>): Promise<Session> => {
    const session = new Session(place.folder, ...args)
    open.push(session)
    await session.initialize()
    return session
  }
  return { place, start }
}
