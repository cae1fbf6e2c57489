import { Icon } from '../../shell/primitives/Icon'
import type { ExplorerRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { namesOf } from './case'
import { chooseEntry } from './run'

/** The gradchecks of opsmith.json. */
export function useGradcheckRows(): ExplorerRow[] {
  const manifest = useProject((state) => state.project?.manifest)
  return (manifest?.gradchecks ?? []).map((entry, index) => {
    const { title, particular } = namesOf(entry, manifest?.inputs ?? {})
    return {
      kind: 'gradcheck',
      icon: <Icon name="target" label="gradcheck" />,
      text: entry.name ?? entry.op,
      note: particular,
      title: `gradcheck of ${title}${particular === '' ? '' : `, ${particular}`}`,
      open: () => {
        showPanel('gradcheck')
        chooseEntry(index)
      },
    }
  })
}
