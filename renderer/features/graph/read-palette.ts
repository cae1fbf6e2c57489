import type { GraphPalette } from './scene'

/** Reads the theme's colours; canvas knows no CSS variables. */
export function readPalette(): GraphPalette {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string): string => style.getPropertyValue(name).trim()
  const theme = document.documentElement.dataset['theme'] ?? 'dark'
  const highContrast = theme.startsWith('contrast')
  return {
    background: of('--background'),
    box: of('--graph-box'),
    boxBorder: of('--graph-box-border'),
    frame: of('--graph-frame'),
    frameBorder: of('--graph-frame-border'),
    terminal: of('--graph-terminal'),
    text: of('--text'),
    muted: of('--text-muted'),
    edge: of('--graph-edge'),
    accent: of('--accent'),
    custom: of('--graph-custom'),
    added: of('--ok'),
    changed: of('--warning'),
    removed: of('--error'),
    alarm: of('--error'),
    hit: of('--graph-hit'),
    highContrast,
    uiFont: of('--font-ui'),
    monoFont: of('--font-mono'),
  }
}
