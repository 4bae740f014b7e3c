// The flag that narrows a command to one task.
import * as Flag from "effect/cli/Flag"
import { textFlag } from "../../shared/flags.ts"

export const onlyTaskFlag = textFlag("task", "T", "this task only").pipe(Flag.optional)
