import { one } from '../lint-case'
import type { LintCase } from '../lint-case'

export const cases: LintCase[] = [
  one('opsmith-__name__', 'a call', 'int f(int x) { return »__snake__(x); }\n', {
    message: /^__snake__ is called\.$/,
  }),
  one('opsmith-__name__', 'not of another function', 'int f(int x) { return g(x); }\n', {
    quiet: true,
  }),
]
