import type { ITheme } from '@xterm/xterm'

import { isDark, type ShownTheme } from '../../store/theme'

/** The sixteen colours that programs name, readable on the window's backgrounds. */
const dark: ITheme = {
  black: '#3b4149',
  red: '#f4837a',
  green: '#6cc38a',
  yellow: '#dfb04f',
  blue: '#5aa2f5',
  magenta: '#d98fbb',
  cyan: '#3fc9a2',
  white: '#d9dce1',
  brightBlack: '#9ba3ad',
  brightRed: '#ff9b92',
  brightGreen: '#8fe0a9',
  brightYellow: '#f0c876',
  brightBlue: '#8cc0ff',
  brightMagenta: '#f0a8d0',
  brightCyan: '#7fe3c6',
  brightWhite: '#ffffff',
}

const light: ITheme = {
  black: '#1f2328',
  red: '#bd2630',
  green: '#17742f',
  yellow: '#855700',
  blue: '#0b63c5',
  magenta: '#9b2c7a',
  cyan: '#0f6a6a',
  white: '#59626d',
  brightBlack: '#6b7480',
  brightRed: '#d1343f',
  brightGreen: '#1d8539',
  brightYellow: '#8f6400',
  brightBlue: '#2374d1',
  brightMagenta: '#ad3f8b',
  brightCyan: '#157878',
  brightWhite: '#3a424b',
}

/** As the window is drawn now: ground, text and selection are the window's own. */
export function coloursOf(theme: ShownTheme): ITheme {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string): string => styles.getPropertyValue(`--${name}`).trim()
  return {
    ...(isDark(theme) ? dark : light),
    background: token('background'),
    foreground: token('text'),
    cursor: token('accent'),
    cursorAccent: token('background'),
    selectionBackground: token('selected'),
  }
}
