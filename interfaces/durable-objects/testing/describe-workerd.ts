// Tests in workerd: it is started for them in a folder of its own, ended after them, and they are skipped with a sentence where it is
// not there.
import { afterAll, beforeAll, describe } from "vitest"
import { keptFolder } from "../../../infrastructure/testing/temporary-folder.ts"
import { NO_WORKERD, prepareWorkerd, startWorkerd, type Workerd, workerdBinary } from "./workerd.ts"

/** What runs while the tests do. */
export interface Running {
  readonly folder: string
  readonly workerd: () => Workerd
  /** Ends it at once, as a power cut would. */
  readonly kill: () => Promise<void>
  /** Starts it again where it was. */
  readonly start: () => Promise<void>
}

/** Describes tests of a worker, given by its file and the classes of its objects. */
export const describeInWorkerd = (
  name: string,
  tests: (running: Running) => void,
  worker?: string,
  classes?: ReadonlyArray<string>
): void => {
  if (workerdBinary === undefined) console.warn(NO_WORKERD)
  describe.skipIf(workerdBinary === undefined)(name, () => {
    const { folder, remove } = keptFolder()
    let current: Workerd | undefined
    const running: Running = {
      folder,
      workerd: () => {
        if (current === undefined) throw new Error("workerd does not run")
        return current
      },
      kill: async () => current?.kill(),
      start: async () => {
        current = await startWorkerd(folder)
      }
    }
    beforeAll(async () => {
      await prepareWorkerd(folder, worker, classes)
      await running.start()
    })
    afterAll(async () => {
      await running.kill()
      remove()
    })
    tests(running)
  })
}
