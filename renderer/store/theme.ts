import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { shownTheme, type ShownTheme } from '../../electron/contract/theme'
import { settingsStore } from './settings'

export type { ShownTheme }

const prefersLight = matchMedia('(prefers-color-scheme: light)')
const prefersContrast = matchMedia('(prefers-contrast: more), (forced-colors: active)')

export const themeStore = createStore<{ theme: ShownTheme }>(() => ({ theme: resolve() }))

export function useTheme(): ShownTheme {
  return useStore(themeStore, (state) => state.theme)
}

export function isDark(theme: ShownTheme): boolean {
  return theme === 'dark' || theme === 'contrast-dark'
}

/** Follows the system and the settings from now on. */
export function followTheme(apply: (theme: ShownTheme) => void): void {
  const update = (): void => {
    const theme = resolve()
    themeStore.setState({ theme })
    apply(theme)
  }
  settingsStore.subscribe(update)
  prefersLight.addEventListener('change', update)
  prefersContrast.addEventListener('change', update)
  update()
}

function resolve(): ShownTheme {
  return shownTheme(settingsStore.getState().settings.theme, {
    isDark: !prefersLight.matches,
    hasContrast: prefersContrast.matches,
  })
}
