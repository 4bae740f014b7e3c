// The order of test files: those that take longest begin first, so that no worker is busy with one while the others have nothing
// left to do. Where nothing ran before, the runner would begin with the largest files, which says little.
import { realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { BaseSequencer, type TestSpecification, type TestSequencerConstructor } from "vitest/node"

const repository = new URL("../../", import.meta.url)

/** A sequencer that begins with these files of the repository, in this order; each must be there. */
export const longestFirst = (files: ReadonlyArray<string>): TestSequencerConstructor => {
  const longest = files.map((file) => realpathSync(fileURLToPath(new URL(file, repository))))
  const rank = ({ moduleId }: TestSpecification): number => {
    const index = longest.indexOf(moduleId)
    return index === -1 ? longest.length : index
  }
  return class extends BaseSequencer {
    override async sort(specifications: Array<TestSpecification>): Promise<Array<TestSpecification>> {
      return (await super.sort(specifications)).toSorted((left, right) => rank(left) - rank(right))
    }
  }
}
