import type { Settings } from './settings'

/** The theme as it is shown: the settings' choice, "system" resolved. */
export type ShownTheme = 'dark' | 'light' | 'contrast-dark' | 'contrast-light'

/** What the system asks for. */
export interface SystemLook {
  isDark: boolean
  hasContrast: boolean
}

/** The theme that the window shows. @param wanted the setting */
export function shownTheme(
  wanted: Settings['theme'],
  { isDark, hasContrast }: SystemLook,
): ShownTheme {
  if (wanted === 'contrast') return 'contrast-dark'
  if (wanted !== 'system') return wanted
  const theme = isDark ? 'dark' : 'light'
  return hasContrast ? `contrast-${theme}` : theme
}
