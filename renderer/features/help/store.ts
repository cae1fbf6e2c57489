import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { layoutStore, showPanel } from '../../store/layout'

export type HelpSection = 'panels' | 'keys' | 'about'

type HelpState = {
  section: HelpSection
  /** The panel that is asked about; `nonce` tells one question from the next. */
  asked: { panel: string; nonce: number }
}

export const helpStore = createStore<HelpState>(() => ({
  section: 'panels',
  asked: { panel: '', nonce: 0 },
}))

export function useHelp<T>(select: (state: HelpState) => T): T {
  return useStore(helpStore, select)
}

export function showHelp(section: HelpSection): void {
  helpStore.setState({ section })
  showPanel('help')
}

/** @param panel "" asks about the panel that was active last, where there is one */
export function helpOnPanel(panel: string): void {
  const about = panel === '' ? (layoutStore.getState().dock?.activeTool() ?? '') : panel
  helpStore.setState(({ asked }) => ({ asked: { panel: about, nonce: asked.nonce + 1 } }))
  showHelp('panels')
}
