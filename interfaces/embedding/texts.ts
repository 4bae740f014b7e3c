// What hosts of this package need to show found texts: the stemmer that questions and documents share, and the compression of texts.
export { englishStem } from "../../infrastructure/network/index/english-stems.ts"
export * from "../../infrastructure/network/index/text-compression.ts"
