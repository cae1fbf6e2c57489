import { sourceOfGlob } from './globs'

interface Rule {
  pattern: RegExp
  /** "!": what an earlier rule leaves out is there after all. */
  isNegated: boolean
  isForFolders: boolean
}

/** The rules of one .gitignore, for names relative to its folder; see gitignore(5). */
export class IgnoreRules {
  private readonly rules: Rule[]

  constructor(text: string) {
    this.rules = text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? [])
  }

  /** Undefined where no rule is about it: then the folders above decide. */
  ignores(relative: string, isFolder: boolean): boolean | undefined {
    const rule = this.rules.findLast(
      ({ pattern, isForFolders }) => (isFolder || !isForFolders) && pattern.test(relative),
    )
    return rule && !rule.isNegated
  }
}

function ruleOf(line: string): Rule | undefined {
  // Spaces at the end count where a backslash is before them.
  const trimmed = line.replace(/(?<!\\)\s+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return undefined
  const isNegated = trimmed.startsWith('!')
  const whole = isNegated ? trimmed.slice(1) : trimmed
  const isForFolders = whole.endsWith('/')
  const glob = whole.replace(/\/+$/, '')
  // A slash anywhere but at the end binds the pattern to the folder of the file.
  const prefix = glob.includes('/') ? '' : '(?:.*/)?'
  const pattern = new RegExp(`^${prefix}${sourceOfGlob(glob.replace(/^\//, ''))}$`)
  return { pattern, isNegated, isForFolders }
}
