export const exitCodes = { good: 0, failed: 1, noAnswer: 2 } as const

/** For `opsmith --help` and docs/reference/errors.md. */
export const exitMeanings: Record<keyof typeof exitCodes, string> = {
  good: 'success',
  failed: 'an answer that is bad: a compile error, a result that differs, a check that fails',
  noAnswer: 'no answer; the error says why and what to do',
}
