import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'

import { featureOf } from '../../store/feature'
import { layoutStore, showPanel } from '../../store/layout'

export type HelpSection = 'guides' | 'panels' | 'keys' | 'about'

/** A page of docs, and the heading on it that is wanted: "" is its beginning. */
export type GuidePlace = { page: string; anchor: string }

type HelpState = {
  section: HelpSection
  /** The pages that were shown, the one in view last. */
  trail: readonly GuidePlace[]
}

const firstPage = 'tutorials/first-operator'
const mostKept = 50

export const helpStore = createStore<HelpState>(() => ({
  section: 'guides',
  trail: [{ page: firstPage, anchor: '' }],
}))

export function useHelp<T>(select: (state: HelpState) => T): T {
  return useStore(helpStore, select)
}

export function showHelp(section: HelpSection): void {
  helpStore.setState({ section })
  showPanel('help')
}

/** @param place "how-to/gradcheck" or "reference/lints#opsmith-from-blob"; "" shows what was read last */
export function showGuide(place: string): void {
  const [page = '', anchor = ''] = place.split('#')
  if (page !== '') {
    helpStore.setState(({ trail }) => ({ trail: [...trail, { page, anchor }].slice(-mostKept) }))
  }
  showHelp('guides')
}

export function goBack(): void {
  helpStore.setState(({ trail }) => (trail.length > 1 ? { trail: trail.slice(0, -1) } : {}))
}

/** The page about a panel has the panel's name. */
export const guideOfPanel = (panel: string): string => `how-to/${panel}`

/** @param panel "" asks about the panel that was active last, where there is one */
export function helpOnPanel(panel: string): void {
  const about = panel === '' ? (layoutStore.getState().dock?.activeTool() ?? '') : panel
  if (featureOf(about)?.panel) showGuide(guideOfPanel(about))
  else showHelp('panels')
}
