import { Icon } from '../../shell/primitives/Icon'
import type { ExplorerRow } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { timingNames } from './draft'
import { chooseBenchmark } from './run'

/** The benchmarks of opsmith.json. */
export function useBenchmarkRows(): ExplorerRow[] {
  const manifest = useProject((state) => state.project?.manifest)
  return (manifest?.benchmarks ?? []).map((entry, index) => {
    const { title, particular } = timingNames(entry, manifest?.inputs ?? {})
    return {
      kind: 'benchmark',
      icon: <Icon name="clock" label="benchmark" />,
      text: entry.name ?? entry.op,
      title: `benchmark of ${title}${particular === '' ? '' : `, ${particular}`}`,
      open: () => {
        showPanel('timings')
        chooseBenchmark(index)
      },
    }
  })
}
