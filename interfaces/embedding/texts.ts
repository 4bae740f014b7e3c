// What hosts of this package need to show found texts: the stemmer that questions and documents share, and the compression of texts.
export { englishStem } from "../../infrastructure/network/english-stems.ts"
export * from "../../infrastructure/network/text-compression.ts"
