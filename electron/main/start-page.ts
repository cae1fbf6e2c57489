import type { NativeTheme } from 'electron'

import type { Settings } from '../contract/settings'
import { shownTheme } from '../contract/theme'
import type { ShownTheme } from '../contract/theme'

/** What the first page needs before the window's code can ask for settings. */
export type Look = Pick<Settings, 'theme' | 'fontSize'>

type System = Pick<NativeTheme, 'shouldUseDarkColors' | 'shouldUseHighContrastColors'>

const themeOf = ({ theme }: Look, system: System): ShownTheme =>
  shownTheme(theme, {
    isDark: system.shouldUseDarkColors,
    hasContrast: system.shouldUseHighContrastColors,
  })

/** --chrome of renderer/shell/styles/tokens.css. */
export const backgrounds: Readonly<Record<ShownTheme, string>> = {
  dark: '#17191c',
  light: '#eef0f3',
  'contrast-dark': '#000000',
  'contrast-light': '#ffffff',
}

/** The colour of the window until its page is painted. */
export function backgroundOf(look: Look, system: System): string {
  return backgrounds[themeOf(look, system)]
}

/** index.html in the user's theme and text size: without them its first picture would be dark and small. */
export function startPage(html: string, look: Look, system: System): string {
  const attributes = `data-theme="${themeOf(look, system)}" style="font-size: ${look.fontSize}px"`
  return html.replace('<html ', `<html ${attributes} `)
}
