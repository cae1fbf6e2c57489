import type { ReactElement } from 'react'

import { Icon, type IconName } from '../../shell/primitives/Icon'
import type { Change, ClassRow } from '../../store/schemas'
import { SchemaText } from './SchemaText'

/** A torch::class_ with its methods. */
export function ClassView({ row }: { row: ClassRow }): ReactElement {
  const { type, change } = row
  return (
    <article
      className={change === 'removed' ? 'schemas-operator gone' : 'schemas-operator'}
      data-testid={`class-row-${type.name}`}
      data-change={change ?? 'none'}
    >
      {change && <ChangeBadge kind={change} />}
      <h4 className="schemas-class">
        <span className="muted">torch.classes.</span>
        {type.name}
      </h4>
      <ul className="schemas-methods">
        {type.methods.map((method, index) => (
          <li key={index}>
            <SchemaText schema={method.schema === '' ? method.name : method.schema} />
          </li>
        ))}
      </ul>
    </article>
  )
}

const badges: Record<Change['kind'], { icon: IconName; word: string; tone: string }> = {
  added: { icon: 'plus', word: 'added', tone: 'tone-ok' },
  removed: { icon: 'minus', word: 'removed', tone: 'tone-error' },
  altered: { icon: 'refresh', word: 'altered', tone: 'tone-warning' },
  kernels: { icon: 'chip', word: 'kernels changed', tone: 'tone-warning' },
}

/** What became of it since the build before: an icon and a word, the colour only helps. */
export function ChangeBadge({ kind }: { kind: Change['kind'] }): ReactElement {
  const { icon, word, tone } = badges[kind]
  return (
    <span className={`badge ${tone}`}>
      <Icon name={icon} /> {word}
    </span>
  )
}
