import type { PlacedEntry } from '../../electron/engine/language/lints/project-sources'

/** Sources in which » stands before each place that the lint names; without one it is quiet. */
export interface LintCase {
  code: string
  name: string
  files: Record<string, string>
  exposed?: string[]
  /** `autograd` of opsmith.json. */
  entries?: PlacedEntry[]
  message?: RegExp
  /** No other lint has a word to say either. */
  quiet?: true
  /** What the first fix of each finding makes of them, after which the lint is content. */
  fixed?: Record<string, string>
}

/** A case of one file. */
export const one = (
  code: string,
  name: string,
  text: string,
  more: Omit<Partial<LintCase>, 'fixed'> & { fixed?: string; cu?: true } = {},
): LintCase => {
  const { fixed, cu, ...rest } = more
  const file = cu ? '/op.cu' : '/op.cpp'
  return {
    code,
    name,
    files: { [file]: text },
    ...rest,
    ...(fixed === undefined ? {} : { fixed: { [file]: fixed } }),
  }
}
