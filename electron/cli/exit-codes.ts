export const exitCodes = {
  good: 0,
  /** The question was answered, and the answer is bad: a compile that failed, a result that differs. */
  failed: 1,
  /** The question could not be answered. */
  noAnswer: 2,
} as const
