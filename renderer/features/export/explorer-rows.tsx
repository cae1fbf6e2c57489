import { Icon } from '../../shell/primitives/Icon'
import type { ExplorerRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'

/** The forms that opsmith.json names. */
export function useExportRows(): ExplorerRow[] {
  const forms = useProject((state) => state.project?.manifest?.exports)
  return (forms ?? []).map((form) => ({
    kind: 'export',
    icon: <Icon name="folder" label="export" />,
    text: form,
    title: 'exported by opsmith.json',
    open: () => showPanel('export'),
  }))
}
