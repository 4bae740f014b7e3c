/**
 * Tar files that packing could not have made, each with one trick, of any kind of archive: two files in their order stand for what it
 * honestly holds. Outside tests nothing may import it.
 */
import { TAR_BLOCK, TAR_END, tarHeader, tarPadding } from "../../../domain/foundation/tar.ts"

/** A name and its content. */
type File = readonly [name: string, content: string]

/** One file of an archive, honest unless the header is another. */
export const tarFile = (
  name: string,
  content: string,
  header = tarHeader(name, Buffer.byteLength(content))
): Buffer =>
  Buffer.concat([header, Buffer.from(content), Buffer.alloc(tarPadding(Buffer.byteLength(content)))])

/** A header with bytes put at an offset and its checksum made right again. */
const forged = (name: string, size: number, offset: number, text: string): Uint8Array => {
  const header = Buffer.from(tarHeader(name, size))
  header.write(text, offset, "latin1")
  header.write("        ", 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return header
}

/** Every trick with its name; `stray` is a name that no archive of the kind has. */
export const hostileArchives = ({
  first: [name, content],
  last,
  stray
}: {
  readonly first: File
  readonly last: File
  readonly stray: string
}): ReadonlyArray<readonly [string, Buffer]> => {
  const end = Buffer.alloc(TAR_END)
  const size = Buffer.byteLength(content)
  const honest = tarFile(name, content)
  const behind = tarFile(...last)
  const whole = (...files: ReadonlyArray<Buffer>): Buffer => Buffer.concat([...files, behind, end])
  const withHeader = (offset: number, text: string): Buffer =>
    whole(tarFile(name, content, forged(name, size, offset, text)))
  return [
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("no archive".repeat(200))],
    ["an end without a beginning cut short", Buffer.alloc(TAR_BLOCK)],
    ["a link", whole(tarFile(name, "", forged(name, 0, 156, "2")))],
    ["a link with a target", whole(tarFile(name, "", forged(name, 0, 157, "/etc/passwd")))],
    ["a device", whole(tarFile(name, "", forged(name, 0, 156, "3")))],
    ["a folder", whole(tarFile("artifacts/", "", forged("artifacts/", 0, 156, "5")), honest)],
    [
      "a long name of another tar",
      Buffer.concat([tarFile("././@LongLink", "x", forged("././@LongLink", 1, 156, "L")), end])
    ],
    ["a name that climbs", whole(tarFile("../escape.txt", "x"), honest)],
    ["an absolute name", whole(tarFile("/etc/passwd", "x"), honest)],
    ["a name before the name", withHeader(345, "..")],
    ["another mode", withHeader(100, "0000777")],
    ["an owner", withHeader(108, "0001750")],
    ["a time", withHeader(136, "14000000000")],
    ["a size in another base", withHeader(124, "\x80")],
    ["a wrong checksum", whole(Buffer.from(honest).fill("9", 148, 149))],
    ["one name twice", whole(honest, honest)],
    ["another order", Buffer.concat([behind, honest, end])],
    ["another name", whole(tarFile(stray, "a\n"))],
    [
      "something in the padding",
      whole(Buffer.from(honest).fill("x", TAR_BLOCK + size, TAR_BLOCK + size + 1))
    ],
    ["a content that is cut off", Buffer.concat([honest, behind.subarray(0, TAR_BLOCK + 10)])],
    ["no end", Buffer.concat([honest, behind])],
    ["half an end", Buffer.concat([honest, behind, end.subarray(TAR_BLOCK)])],
    ["something behind the end", Buffer.concat([whole(honest), Buffer.from("x")])],
    ["zeros behind the end", Buffer.concat([whole(honest), Buffer.alloc(TAR_BLOCK)])]
  ]
}
