// The bounds of the cassette network, as named constants with their units; nothing else may spell one of these numbers. Bounds of one
// file format or interface stand beside it. Source: docs/spec/network.md, "Limits".

/** Protocol and versions that a handshake names; another major version is refused. */
export const PROTOCOL = "SNP"
export const PROTOCOL_VERSION = "1.0"
export const CASSETTE_SCHEMA_VERSION = "1.0"

/** Newest version of a cassette's database that this program reads and writes. */
export const CASSETTE_VERSION = 1

/** The part of a version that must be equal for two programs to understand each other. */
export const majorVersion = (version: string): string => version.split(".")[0] ?? ""

/** Most hits that one question may ask for, and how many it gets by default. */
export const MAX_LIMIT = 1_000
export const DEFAULT_LIMIT = 10

/** How many of the places where a found text stands are named, the best one among them. */
export const MAX_PLACES = 10

/** How many of the best chunks each cassette returns at least: so many are looked at with their documents. */
export const BEST_CANDIDATES = 50

/** Of what a word counts in a chunk: the share of the document that the chunk stands in; the rest is the chunk's own. */
export const DOCUMENT_SHARE = 0.75

/** The factor on a text's score for each better text of the same document. */
export const REPEAT_SHARE = 0.8

/** How much of a question's text is read (UTF-16 units), and how many of its different terms are counted. */
export const MAX_QUERY_UNITS = 1_048_576
export const MAX_COUNTED_TERMS = 1_000

/** Most terms that one question looks for: of a longer one those that stand in the fewest chunks. */
export const MAX_QUERY_TERMS = 64

/** Longest term in the index, in UTF-16 units: longer words are cut, longer identifiers have only their parts. */
export const MAX_TERM_UNITS = 64
export const MAX_IDENTIFIER_UNITS = 256

/** Largest document (bytes of UTF-8). */
export const MAX_DOCUMENT_BYTES = 4 * 1_048_576

/** Longest line of a cartridge: a largest text of control characters alone, each as six bytes, and the other fields. */
export const MAX_CARTRIDGE_LINE_BYTES = 6 * MAX_DOCUMENT_BYTES + 65_536

/** Largest text of a memory, and largest metadata of one save as canonical JSON (bytes of UTF-8). */
export const MAX_MEMORY_BYTES = 1_048_576
export const MAX_METADATA_BYTES = 16_384

/** How many of a memory's saves are shown with it. */
export const MAX_LISTED_SAVES = 100

/** The size that a chunk aims at, and the largest that one may be (UTF-8 bytes). */
export const TARGET_CHUNK_BYTES = 1_600
export const MAX_CHUNK_BYTES = 3_200

/** How many chunks stand together in one segment of the index that ranks. */
export const SEGMENT_CHUNKS = 4_096

/** How many chunks may wait in the tail before a writer folds them into postings. */
export const MAX_TAIL_CHUNKS = 256

/** How many may wait while many documents are written one after another, until the end of the run folds what is left. */
export const MAX_RUN_TAIL_CHUNKS = 1_024

/** How much of an index run stands in one transaction: documents, their texts (UTF-16 units), how long the file is locked. */
export const MAX_GROUP_DOCUMENTS = 256
export const MAX_GROUP_UNITS = 524_288
export const MAX_GROUP_MILLIS = 50

/** Up to how many vectors of all asked cassettes together every one is compared with a question's. */
export const EXACT_VECTORS = 20_000

/** How many are compared beyond that, chosen by their signs: this many, this share of all, and so many for each text. */
export const MIN_CANDIDATES = 160
export const CANDIDATE_SHARE = 0.0064
export const CANDIDATES_PER_TEXT = 3

/** How many of a text's terms are looked at, and by how many of the most telling ones its neighbours are looked for. */
export const MAX_TEXT_TERMS = 1_000
export const MAX_TELLING_TERMS = 12

/** How many vectors have their signs in one segment, and how many may wait beside the segments. */
export const SEGMENT_VECTORS = 4_096
export const MAX_TAIL_VECTORS = 256

/** A term in more chunks than this share of all, and than this number, brings no chunk in by itself. */
export const COMMON_TERM_SHARE = 0.1
export const COMMON_TERM_CHUNKS = 1_000

/** All function words of a question together weigh at most this share of the lightest other word. */
export const ASIDE_SHARE = 0.5

/** How many times a word counts in a chunk's path, headings and body. */
export const PATH_WEIGHT = 4
export const HEADING_WEIGHT = 1
export const BODY_WEIGHT = 1

/** Within how many words two neighbouring words of a question earn a proximity bonus, and how large that is at most. */
export const PROXIMITY_WORDS = 8
export const PROXIMITY_SHARE = 0.7

/** How long a cassette may take to answer before it counts as late (milliseconds). */
export const DEFAULT_DEADLINE_MILLIS = 5_000

/** How long an ephemeral cassette keeps a document by default (7 days, milliseconds). */
export const DEFAULT_TTL_MILLIS = 7 * 86_400_000

/** Hex digits of a symbol: 12 are the same by chance only among millions of texts, and 64 are the whole hash. */
export const MIN_SYMBOL_DIGITS = 12
export const MAX_SYMBOL_DIGITS = 64

/** How many candidates of an ambiguous symbol are listed. */
export const MAX_SYMBOL_CANDIDATES = 10

/** Through how many levels symbols are followed by default, and at most by configuration. */
export const DEFAULT_EXPANSION_DEPTH = 3
export const MAX_EXPANSION_DEPTH = 16

/** The largest text that symbols may grow to (bytes of UTF-8), and how many different symbols it may name. */
export const MAX_EXPANDED_BYTES = 16 * 1_048_576
export const MAX_EXPANDED_SYMBOLS = 262_144

/** Most blocks between empty lines that are looked up as one chunk, and how many such runs a text has at most. */
export const MAX_COMPRESSION_RUN = 32
export const MAX_COMPRESSION_RUNS = 200_000
