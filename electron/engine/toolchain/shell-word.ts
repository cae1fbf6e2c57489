/** As one word of a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** As words of a POSIX shell. */
export function shellWords(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}
