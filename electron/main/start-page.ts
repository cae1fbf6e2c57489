import type { Settings } from '../contract/settings'

/** What the first page needs before the window's code can ask for settings. */
export type Look = Pick<Settings, 'theme' | 'fontSize'>

/** What the system asks for. */
interface SystemLook {
  shouldUseDarkColors: boolean
  shouldUseHighContrastColors: boolean
}

/** The theme that the window will show, by the name that renderer/store/theme.ts gives it. */
export function themeOf(look: Pick<Look, 'theme'>, system: SystemLook): string {
  if (look.theme === 'contrast') return 'contrast-dark'
  if (look.theme !== 'system') return look.theme
  const theme = system.shouldUseDarkColors ? 'dark' : 'light'
  return system.shouldUseHighContrastColors ? `contrast-${theme}` : theme
}

/** --chrome of renderer/shell/styles/tokens.css: the colour of the window until its page is painted. */
export const backgrounds: Readonly<Record<string, string>> = {
  dark: '#17191c',
  light: '#eef0f3',
  'contrast-dark': '#000000',
  'contrast-light': '#ffffff',
}

/** index.html in the user's theme and text size: without them its first picture would be dark and small. */
export function startPage(html: string, look: Look, system: SystemLook): string {
  const attributes = `data-theme="${themeOf(look, system)}" style="font-size: ${look.fontSize}px"`
  return html.replace('<html ', `<html ${attributes} `)
}
