import { Icon } from '../../shell/primitives/Icon'
import type { ExplorerRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useOperatorChecks } from './store'
import { chooseCheck } from './run'

/** What is checked of the project. */
export function useOperatorCheckRows(): ExplorerRow[] {
  const entries = useOperatorChecks((state) => state.entries)
  return entries.map((entry, index) => ({
    kind: 'operator',
    icon: <Icon name="flask" label="operator" />,
    text: entry.name ?? entry.op,
    title: `operator checks: ${entry.checks?.join(', ') ?? 'all'}`,
    open: () => {
      showPanel('operator-checks')
      chooseCheck(index)
    },
  }))
}
