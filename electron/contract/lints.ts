import { z } from 'zod'

/** Ours, stable: they are written into sources and opsmith.json to silence a lint. */
export const lintCode = z.enum([
  'opsmith-float-argument',
  'opsmith-from-blob',
  'opsmith-not-contiguous',
  'opsmith-dtype-unchecked',
  'opsmith-schema-alias',
  'opsmith-module-name',
  'opsmith-backward-results',
  'opsmith-launch-unchecked',
  'opsmith-launch-stream',
  'opsmith-device-guard',
  'opsmith-registered-twice',
])
export type LintCode = z.infer<typeof lintCode>
