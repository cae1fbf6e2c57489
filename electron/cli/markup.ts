const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** What XML 1.0 has no way to write: control characters, halves of surrogate pairs, U+FFFE and U+FFFF. */
const unwritable =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text as XML, HTML and attributes in double quotes take it. */
export function escapeMarkup(text: string): string {
  return text.replace(unwritable, '\ufffd').replace(/[&<>"']/g, (found) => entities[found] ?? found)
}

/** In an attribute a line break would be read as a space. */
export function escapeAttribute(text: string): string {
  return escapeMarkup(text).replace(/\t/g, '&#9;').replace(/\n/g, '&#10;').replace(/\r/g, '&#13;')
}
