// The half of a benchmark that runs in a process of its own: started, given its job, and asked for its one answer. A
// child that ends without an answer is an error.
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The answer of `support/<script>.ts` to its job. */
export const answerOf = async <Answer>(script: string, job: object): Promise<Answer> => {
  const child = fork(fileURLToPath(new URL(`${script}.ts`, import.meta.url)), { stdio: "inherit" })
  child.send(job)
  return Promise.race([
    once(child, "message").then(([message]) => message as Answer),
    once(child, "exit").then(([code]) => {
      throw new Error(`${script} ended early with code ${code}`)
    })
  ])
}
