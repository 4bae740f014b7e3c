// Sizes of a run, from the environment: every benchmark has short defaults, and the large versions are asked for
// by name. A value that is no positive integer is refused, so that no figure is of another size than it seems.

/** The positive integer in an environment variable, or the default when it is not set. */
export const setting = (name: string, standard: number): number => {
  const text = process.env[name]
  if (text === undefined || text === "") return standard
  const value = Number(text)
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value
  throw new Error(`${name} must be a positive integer, not ${JSON.stringify(text)}`)
}
