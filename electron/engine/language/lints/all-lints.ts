import { collectFiles } from '../../collect-files'
import type { Lint } from './lint'

/** Lints by their files, which the bundler finds: rules/NAME.ts declares opsmith-NAME. */
const files = import.meta.glob<Lint>('./rules/*.ts', { eager: true, import: 'lint' })

/** All lints, by their codes. */
export const lints: readonly Lint[] = collectFiles(files, {
  example: 'export const lint: Lint = { … }',
  nameOf: ({ code }) => code.replace(/^opsmith-/, ''),
  orderOf: () => 0,
})
