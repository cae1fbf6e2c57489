import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { settingsStore } from './settings'

/** The theme as it is shown: the settings' choice, "system" resolved. */
export type ShownTheme = 'dark' | 'light' | 'contrast-dark' | 'contrast-light'

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
  const wanted = settingsStore.getState().settings.theme
  const light = prefersLight.matches
  switch (wanted) {
    case 'dark':
      return 'dark'
    case 'light':
      return 'light'
    case 'contrast':
      return 'contrast-dark'
    case 'system':
      if (prefersContrast.matches) return light ? 'contrast-light' : 'contrast-dark'
      return light ? 'light' : 'dark'
  }
}
