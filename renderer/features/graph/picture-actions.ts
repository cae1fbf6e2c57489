import { filesStore } from '../../store/files'
import { serveGraphActions } from './graph-actions'
import { writeGraphFile } from './graph-files'
import { shownGraph } from './jobs'
import { isDark, themeStore } from '../../store/theme'
import { painter } from './canvas/painter-client'
import { exportText, fold, markLine, nextHit, select, surfaceOf, viewStore } from './view-store'

/** Pixels: Chromium's canvases go no further, and few programs open larger pictures. */
const longestPng = 8_192

serveGraphActions({
  fit: () => surfaceOf('main')?.fit(),
  fold: (what) => void fold(what),
  search: () => document.querySelector<HTMLElement>('[data-testid="graph-search"]')?.focus(),
  nextHit: (step) => void nextHit(step),
  hasSelection: () => viewStore.getState().selected !== null,
  goToCursor: () => {
    const { active } = filesStore.getState()
    if (!active) return
    void markLine(active.path, active.line).then((keys) => {
      const first = keys[0]
      if (first !== undefined) void select(first, { view: 'main', reveal: true })
    })
  },
  exportAs: async (format, path = '') => {
    const shown = shownGraph()
    if (!shown) return null
    if (format === 'text') return writeGraphFile(shown.graph.text, 'txt', false, path)
    if (format === 'png') {
      const png = await painter.ask('png', { view: 'main', longest: longestPng })
      return png === null ? null : writeGraphFile(png.base64, 'png', true, path)
    }
    const dark = isDark(themeStore.getState().theme)
    const content = await exportText(format, dark)
    return writeGraphFile(content, format === 'diff' ? 'diff.txt' : format, false, path)
  },
})
