export const exitCodes = { good: 0, failed: 1, noAnswer: 2 } as const

/** For `opsmith --help` and docs/reference/errors.md. */
export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  good: 'success',
  failed: 'something failed, such as a build, a call or a check',
  noAnswer: 'the command has no result, for example because of wrong arguments or missing tools',
}
