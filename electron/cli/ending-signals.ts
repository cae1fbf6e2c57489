/** Signals by which a user, a closed terminal or the system asks the command to end. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
