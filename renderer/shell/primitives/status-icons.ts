import type { CheckStatus } from '../../../electron/contract/gradcheck'
import type { IconName } from './Icon'

/** The outcome of one check, in gradchecks and operator checks alike. */
export const statusIcons: Record<CheckStatus, { icon: IconName; tone: string }> = {
  passed: { icon: 'check', tone: 'tone-ok' },
  failed: { icon: 'error', tone: 'tone-error' },
  skipped: { icon: 'absent', tone: 'muted' },
  'not reached': { icon: 'minus', tone: 'muted' },
}
