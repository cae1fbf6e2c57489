/** UTF-16 by its byte order mark, or by the zero bytes that it has between plain letters. */
export function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  return hasMark || (bytes.length >= 2 && (first === 0) !== (second === 0))
}
