import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { shownTheme } from '../../electron/contract/theme'
import { backgrounds, startPage } from '../../electron/main/start-page'

const root = path.resolve(__dirname, '../..')
const dark = { shouldUseDarkColors: true, shouldUseHighContrastColors: false }

describe('the first page', () => {
  it('has the theme and the text size of the settings', () => {
    const html = fs.readFileSync(path.join(root, 'renderer/index.html'), 'utf8')
    const page = startPage(html, { theme: 'light', fontSize: 17 }, dark)
    expect(page).toContain('<html data-theme="light" style="font-size: 17px" lang="en">')
  })

  it.each([
    ['light', 'light'],
    ['dark', 'dark'],
    ['contrast', 'contrast-dark'],
  ] as const)('shows the theme %s whatever the system asks for', (theme, shown) => {
    for (const isDark of [true, false])
      expect(shownTheme(theme, { isDark, hasContrast: false })).toBe(shown)
  })

  it('follows the system where the settings do', () => {
    const shown = [true, false].flatMap((isDark) =>
      [false, true].map((hasContrast) => shownTheme('system', { isDark, hasContrast })),
    )
    expect(shown).toEqual(['dark', 'contrast-dark', 'light', 'contrast-light'])
  })

  it('comes into a window of the same colour', () => {
    const tokens = fs.readFileSync(path.join(root, 'renderer/shell/styles/tokens.css'), 'utf8')
    const found = [...tokens.matchAll(/\[data-theme='([^']+)'\] \{[^}]*--chrome: ([^;]+);/g)]
    expect(Object.fromEntries(found.map(([, theme, colour]) => [theme, colour]))).toEqual(
      backgrounds,
    )
  })
})
