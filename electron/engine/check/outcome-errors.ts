import type { ErrorCode } from '../../contract/outcome'

/** What a check names does not exist or does not fit. */
export const notAnswered: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'operator.unknown',
  'input.invalid',
  'program.compile',
  'device.unavailable',
])

/** Errors that are about one check: the others can still be made. */
export const ofOneCheck: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...notAnswered,
  'host.crashed',
  'host.timeout',
  'operator.check',
  'derivative.missing',
])
