import type { ReactElement } from 'react'

import type { Finding, Judgement } from '../../../electron/contract/doctor'
import { Icon, type IconName } from '../../shell/primitives/Icon'
import { Remedy } from '../../shell/primitives/Remedy'

const judgements: Record<Judgement, { icon: IconName; word: string; tone: string }> = {
  usable: { icon: 'check', word: 'usable', tone: 'tone-ok' },
  warning: { icon: 'warning', word: 'usable, but', tone: 'tone-warning' },
  unusable: { icon: 'error', word: 'not usable', tone: 'tone-error' },
  absent: { icon: 'absent', word: 'not found', tone: 'muted' },
}

export function FindingRow({ finding }: { finding: Finding }): ReactElement {
  const { icon, word, tone } = judgements[finding.judgement]
  return (
    <tr data-testid="doctor-finding" data-judgement={finding.judgement}>
      <td className={tone}>
        <Icon name={icon} /> {word}
      </td>
      <td>
        <div>
          {finding.name} {finding.chosen && <span className="badge">used</span>}
        </div>
        {finding.why !== '' && <div className="selectable">{finding.why}</div>}
        {finding.remedy !== '' && <Remedy command={finding.remedy} />}
        {finding.facts.length > 0 && (
          <div className="muted facts">
            {finding.facts.map(([name, value]) => (
              <span key={name}>
                {name} <span className="mono">{value}</span>
              </span>
            ))}
          </div>
        )}
      </td>
      <td className="mono muted selectable path">{finding.path}</td>
    </tr>
  )
}
