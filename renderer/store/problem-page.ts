import type { Diagnostic } from '../../electron/contract/diagnostics'

/** The reference pages that have a heading for each code, by who reports it. */
const pages: Record<string, string | undefined> = {
  lint: 'reference/lints',
  'operator check': 'reference/operator-checks',
}

/** The page with the entry of a problem's code; undefined for those of compilers. */
export const pageOfProblem = ({ source }: Pick<Diagnostic, 'source'>): string | undefined =>
  pages[source]
