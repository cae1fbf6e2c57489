import fs from 'node:fs'
import path from 'node:path'

import { describe, expect, it } from 'vitest'

import { backgrounds, startPage, themeOf } from '../../electron/main/start-page'

const root = path.resolve(__dirname, '../..')
const dark = { shouldUseDarkColors: true, shouldUseHighContrastColors: false }
const light = { shouldUseDarkColors: false, shouldUseHighContrastColors: false }

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
    expect(themeOf({ theme }, dark)).toBe(shown)
    expect(themeOf({ theme }, light)).toBe(shown)
  })

  it('follows the system where the settings do', () => {
    const theme = 'system'
    expect(themeOf({ theme }, dark)).toBe('dark')
    expect(themeOf({ theme }, light)).toBe('light')
    expect(themeOf({ theme }, { ...dark, shouldUseHighContrastColors: true })).toBe('contrast-dark')
    expect(themeOf({ theme }, { ...light, shouldUseHighContrastColors: true })).toBe(
      'contrast-light',
    )
  })

  it('comes into a window of the same colour', () => {
    const tokens = fs.readFileSync(path.join(root, 'renderer/shell/styles/tokens.css'), 'utf8')
    const found = [...tokens.matchAll(/\[data-theme='([^']+)'\] \{[^}]*--chrome: ([^;]+);/g)]
    expect(Object.fromEntries(found.map(([, theme, colour]) => [theme, colour]))).toEqual(
      backgrounds,
    )
  })
})
