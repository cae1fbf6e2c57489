import type { ErrorCode } from '../../contract/outcome'

/** What a check names does not exist or does not fit: the check could not begin. */
export const errorsOfRequest: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'operator.unknown',
  'input.invalid',
  'program.compile',
  'device.unavailable',
])

/** Errors that are about one check: the others can still be made. */
export const errorsOfOneCheck: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...errorsOfRequest,
  'host.crashed',
  'host.timeout',
  'operator.check',
  'derivative.missing',
])
