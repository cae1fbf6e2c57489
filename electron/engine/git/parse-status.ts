import type { FileState, GitStatus } from '../../contract/git'

/** The state of an entry by git's two letters: the index against the commit, and the work tree against the index. */
function stateOfLetters(letters: string): FileState {
  if (letters.includes('D')) return 'deleted'
  if (letters.startsWith('A')) return 'added'
  if (letters.startsWith('R') || letters.startsWith('C')) return 'renamed'
  return 'modified'
}

/** Fields before the path: "1 XY sub mH mI mW hH hI", "2 … Xscore", "u XY sub m1 m2 m3 mW h1 h2 h3". */
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1, '!': 1 }

/**
 * Reads `git status --porcelain=v2 --branch -z`.
 * @param prefix the project's folder below the top of the repository, with "/" at its end; "" for the top
 */
export function parseStatus(output: string, prefix: string): GitStatus {
  const status: GitStatus = { branch: '', commit: '', files: [] }
  const records = output.split('\0')
  for (let index = 0; index < records.length; index += 1) {
    const record = records[index] ?? ''
    const kind = record.charAt(0)
    if (kind === '#') {
      const [, name = '', value = ''] = record.split(' ')
      if (name === 'branch.head' && value !== '(detached)') status.branch = value
      if (name === 'branch.oid' && value !== '(initial)') status.commit = value
      continue
    }
    const count = fieldsBefore[kind]
    if (count === undefined) continue
    const fields = record.split(' ')
    const whole = fields.slice(count).join(' ')
    // The name before a rename is a record of its own.
    if (kind === '2') index += 1
    if (!whole.startsWith(prefix) || whole === prefix) {
      // A folder above the project, with all that is in it.
      if (!whole.endsWith('/') || !prefix.startsWith(whole)) continue
    }
    const path = whole.slice(prefix.length)
    status.files.push({ path, state: stateOfRecord(kind, fields[1] ?? '') })
  }
  return status
}

function stateOfRecord(kind: string, letters: string): FileState {
  if (kind === '?') return 'untracked'
  if (kind === '!') return 'ignored'
  return kind === 'u' ? 'conflict' : stateOfLetters(letters)
}
