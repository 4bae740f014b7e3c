// Asks the server that this page came from, or the answers that a saved page has inside. The secret leaves the address at once and
// is kept for this tab alone.
import type { Moment } from "../../../domain/inspection/answers.ts"
import type { VerificationReport } from "../../../domain/ledger/verification.ts"
import { setNow } from "./words.ts"

/** A page that was saved: its answers by their questions. */
interface Saved {
  readonly saved_at: string
  readonly report: VerificationReport | null
  readonly answers: Readonly<Record<string, object>>
  /** What was left out. */
  readonly left_off: string | null
}

const readSaved = (): Saved | undefined => {
  const element = document.getElementById("saved")
  return element === null ? undefined : (JSON.parse(element.textContent) as Saved)
}

/** The saved answers, of a page that is a file. */
export const saved = readSaved()

const KEY = "cassette-inspector-key"

/** Takes the secret out of the address. */
const takeSecret = (): string => {
  const given = /^#key=([\w-]+)$/.exec(location.hash)?.[1]
  if (given === undefined) return sessionStorage.getItem(KEY) ?? ""
  sessionStorage.setItem(KEY, given)
  history.replaceState(null, "", "#/")
  return given
}

const secret = saved === undefined ? takeSecret() : ""

/** A question that was answered with a refusal, or not at all. */
export class Unanswered extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

type Parameters = Readonly<Record<string, string | number | undefined>>

/** The path of a question, with its parameters in the order in which they were named. */
const questionOf = (path: string, parameters: Parameters): string => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return given.length === 0 ? path : `${path}?${given.join("&")}`
}

const fetched = async (question: string, signal?: AbortSignal): Promise<Response> => {
  try {
    return await fetch(question, {
      headers: { "x-cassette-secret": secret },
      cache: "no-store",
      ...(signal === undefined ? {} : { signal })
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Unanswered(0, "The inspector has ended. Start it again with cortex inspect.")
  }
}

/** The answer to a question. */
export const ask = async <A>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<A> => {
  const question = questionOf(path, parameters)
  if (saved !== undefined) {
    const answer = Object.hasOwn(saved.answers, question) ? saved.answers[question] : undefined
    if (answer === undefined) throw new Unanswered(404, "This is not in the saved page.")
    if ("now" in answer) setNow(saved.saved_at)
    return answer as A
  }
  const response = await fetched(question, signal)
  const answer = (await response.json()) as A & Partial<Moment> & { readonly message?: string }
  if (!response.ok) throw new Unanswered(response.status, answer.message ?? response.statusText)
  if (answer.now !== undefined) setNow(answer.now)
  return answer
}

/** A line of the verification's stream. */
export interface VerifyLine {
  readonly doing?: string
  readonly report?: VerificationReport
  readonly error?: { readonly code: string; readonly message: string }
}

/** Verifies, and tells each line as it comes. */
export const verifyLines = async (tell: (line: VerifyLine) => void, signal: AbortSignal): Promise<void> => {
  const response = await fetched("/v1/verify", signal)
  if (!response.ok || response.body === null) throw new Unanswered(response.status, "the server refused")
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ""
  while (true) {
    const { done, value } = await reader.read()
    if (done) return
    const lines = (rest + value).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) tell(JSON.parse(line) as VerifyLine)
  }
}
