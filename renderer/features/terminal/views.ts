import { FitAddon } from '@xterm/addon-fit'
import { Terminal, type ILink } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'

import { call } from '../../bridge/bridge'
import { monoFont } from '../../editor/fonts'
import { projectPath } from '../../store/files'
import { openFile } from '../../store/layout'
import { projectStore } from '../../store/project'
import { settingsStore } from '../../store/settings'
import { themeStore } from '../../store/theme'
import { coloursOf } from './colours'
import { placesIn } from './places'

/** What draws a terminal. It lives as long as the shell, wherever the panel is. */
type View = {
  terminal: Terminal
  fit: FitAddon
  element: HTMLElement
  folder: string
  name: string
}

const views = new Map<string, View>()
let isFollowing = false

/** Text that came before its view was made. */
const early = new Map<string, string>()
/** Lines that can be scrolled back to. */
const scrollback = 10_000

export function makeView(folder: string, name: string): void {
  followLook()
  const { fontSize } = settingsStore.getState().settings
  const terminal = new Terminal({
    fontFamily: monoFont,
    fontSize,
    scrollback,
    theme: coloursOf(themeStore.getState().theme),
    minimumContrastRatio: 4.5,
    cursorBlink: false,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  const element = document.createElement('div')
  element.className = 'terminal-view'
  const view = { terminal, fit, element, folder, name }
  views.set(name, view)
  terminal.onData((text) => void call('terminal.write', { folder, terminal: name, text }))
  terminal.onResize(({ cols, rows }) => {
    void call('terminal.resize', { folder, terminal: name, columns: cols, rows })
  })
  terminal.attachCustomKeyEventHandler((event) => isForShell(terminal, event))
  terminal.registerLinkProvider({
    provideLinks: (line, answer) => answer(linksOf(terminal, line)),
  })
  const text = early.get(name)
  early.delete(name)
  if (text !== undefined) drawText(name, text)
}

/** The letters for copying and pasting are the window's; the browser pastes by itself. */
function isForShell(terminal: Terminal, event: KeyboardEvent): boolean {
  if (!event.ctrlKey || !event.shiftKey) return true
  if (event.code === 'KeyC') {
    event.preventDefault()
    if (event.type === 'keydown' && terminal.hasSelection())
      void navigator.clipboard.writeText(terminal.getSelection())
    return false
  }
  return event.code !== 'KeyV'
}

/** Draws what the shell printed, and says so to main, where a fast shell waits for it. */
export function drawText(name: string, text: string): void {
  const view = views.get(name)
  if (!view) {
    early.set(name, (early.get(name) ?? '') + text)
    return
  }
  view.terminal.write(text, () => {
    const { folder } = view
    void call('terminal.drawn', { folder, terminal: name, characters: text.length })
  })
}

/** Puts the terminal into a part of the window, and fits it to its size from now on. */
export function placeView(name: string, into: HTMLElement): () => void {
  const view = views.get(name)
  if (!view) return () => undefined
  const { terminal, fit, element } = view
  into.append(element)
  if (terminal.element === undefined) terminal.open(element)
  const fitted = (): void => {
    // A panel that is hidden has no size.
    if (into.clientWidth > 0 && into.clientHeight > 0) fit.fit()
  }
  fitted()
  const sizes = new ResizeObserver(fitted)
  sizes.observe(into)
  return () => {
    sizes.disconnect()
    element.remove()
  }
}

export function focusView(name: string): void {
  views.get(name)?.terminal.focus()
}

export function dropView(name: string): void {
  views.get(name)?.terminal.dispose()
  views.delete(name)
  early.delete(name)
}

/** The lines of the terminal, for tests. */
export function terminalText(name: string): string {
  const buffer = views.get(name)?.terminal.buffer.active
  const lines = Array.from({ length: buffer?.length ?? 0 }, (_, line) =>
    buffer?.getLine(line)?.translateToString(true),
  )
  return lines.join('\n').trimEnd()
}

/** Theme and text size follow the window. */
function followLook(): void {
  if (isFollowing) return
  isFollowing = true
  themeStore.subscribe(({ theme }) => {
    // After the styles of the new theme have come into force.
    requestAnimationFrame(() => {
      for (const { terminal } of views.values()) terminal.options.theme = coloursOf(theme)
    })
  })
  settingsStore.subscribe(({ settings }) => {
    for (const { terminal, fit } of views.values()) {
      if (terminal.options.fontSize === settings.fontSize) continue
      terminal.options.fontSize = settings.fontSize
      if (terminal.element?.isConnected === true) fit.fit()
    }
  })
}

/** Places of files of the project, in a line of the buffer (1-based). */
function linksOf(terminal: Terminal, line: number): ILink[] {
  const text = terminal.buffer.active.getLine(line - 1)?.translateToString(true) ?? ''
  const known = new Set((projectStore.getState().project?.files ?? []).map(({ path }) => path))
  return placesIn(text).flatMap(({ file, line: target, column, start, end }): ILink[] => {
    const { path } = projectPath(file.replace(/^\.\//, ''))
    if (!known.has(path)) return []
    return [
      {
        range: { start: { x: start + 1, y: line }, end: { x: end, y: line } },
        text: text.slice(start, end),
        activate: () => openFile(path, target, column),
      },
    ]
  })
}
