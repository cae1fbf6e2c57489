import { Icon } from '../../shell/primitives/Icon'
import type { ExplorerRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { chooseCall } from './run'

/** The calls of opsmith.json. */
export function useCallRows(): ExplorerRow[] {
  const calls = useProject((state) => state.project?.manifest?.calls)
  return (calls ?? []).map((call, index) => ({
    kind: 'run',
    icon: <Icon name="play" label="run" />,
    text: call.op,
    title: call.reference === undefined ? 'no reference' : `compared with ${call.reference}`,
    open: () => {
      showPanel('run')
      void chooseCall(index)
    },
  }))
}
