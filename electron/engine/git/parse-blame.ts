import type { BlamedLine } from '../../contract/git'

/** What git calls lines that no commit has. */
const noCommit = /^0+$/

/** Reads `git blame --porcelain`: a commit's particulars come with the first of its lines. */
export function parseBlame(output: string): BlamedLine[] {
  const commits = new Map<string, BlamedLine>()
  const lines: BlamedLine[] = []
  let current: BlamedLine = { commit: '', author: '', time: 0, summary: '' }
  for (const line of output.split('\n')) {
    if (line.startsWith('\t')) {
      lines.push(current)
      continue
    }
    const [word = ''] = line.split(' ', 1)
    const rest = line.slice(word.length + 1)
    if (/^[0-9a-f]{40,64}$/.test(word)) {
      const isKnown = commits.get(word)
      const commit = noCommit.test(word) ? '' : word
      current = isKnown ?? { commit, author: '', time: 0, summary: '' }
      commits.set(word, current)
    } else if (word === 'author')
      current.author = current.commit === '' ? 'Not committed yet' : rest
    else if (word === 'author-time') current.time = Number(rest)
    else if (word === 'summary') current.summary = current.commit === '' ? '' : rest
  }
  return lines
}
