// Paths and files for commands: which names and places are refused, how a failure is told, and how folders are made and
// flushed. No database is loaded.
export { fileFailure, flush, nameFault } from "../../infrastructure/files/file-system.ts"
export { makeFolders } from "../../infrastructure/files/new-folders.ts"
export { newPlaceFault } from "../../infrastructure/files/new-place.ts"
