import { useState, type ReactElement } from 'react'

import type { Diagnostic } from '../../../electron/contract/diagnostics'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { Icon } from '../../shell/primitives/Icon'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useLasting } from '../../shell/primitives/lasting'
import { useBuild } from '../../store/build'
import { useProblems } from '../../store/problems'
import { projectPath } from '../../store/files'
import { useStaleness } from '../../store/staleness'
import { ProblemRow } from './ProblemRow'
import { walkProblems } from './walk'

/** These judge the text as it stands; what the build said is what may be older. */
const ofTheText: ReadonlySet<string> = new Set(['lint', 'clangd', 'clang-tidy', 'torchscript'])

export function ProblemsPanel(): ReactElement {
  const problems = useProblems()
  const stamp = useBuild((state) => state.stamp)
  const building = useBuild((state) => state.running !== null)
  const lasts = useLasting(building)
  const staleness = useStaleness(stamp, 'build')
  const [current, setCurrent] = useState(0)
  if (problems.length === 0) {
    const text =
      stamp !== null
        ? 'No problems in the last build.'
        : building
          ? 'Building …'
          : 'Nothing was built yet.'
    return <EmptyState icon={stamp === null ? 'note' : 'check'} text={text} quiet />
  }
  const isOld = problems.some((item) => !ofTheText.has(item.source))
  const groups = groupByFile(problems)
  const ordered = groups.flatMap(([, items]) => items)
  const currentItem = ordered[Math.min(current, ordered.length - 1)]
  return (
    <div className="panel-column" data-testid="problems-panel">
      {isOld && <StaleBar staleness={staleness} building={building} />}
      <div
        className={isOld && (staleness === 'older' || lasts) ? 'scroll stale' : 'scroll'}
        role="tree"
        aria-label="Problems"
        onKeyDown={walkProblems}
      >
        {groups.map(([file, items]) => (
          <div key={file} role="group" aria-label={file === '' ? 'No file' : file}>
            <div className="group-row">
              <Icon name={file === '' ? 'chip' : 'file'} />
              <span>{file === '' ? 'The project' : projectPath(file).path}</span>
              <span className="badge">{items.length}</span>
            </div>
            {items.map((item, index) => (
              <ProblemRow
                key={index}
                item={item}
                isCurrent={item === currentItem}
                onFocus={() => setCurrent(ordered.indexOf(item))}
              />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}

/** The order of the build is kept: the first error is the one to mend. */
function groupByFile(problems: readonly Diagnostic[]): [string, Diagnostic[]][] {
  const groups = new Map<string, Diagnostic[]>()
  for (const item of problems) {
    const group = groups.get(item.file)
    if (group) group.push(item)
    else groups.set(item.file, [item])
  }
  return [...groups]
}
