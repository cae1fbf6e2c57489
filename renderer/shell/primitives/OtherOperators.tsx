import type { ReactElement } from 'react'

import { useProgramFunctions } from '../../store/program-functions'
import { operatorKey, useSchemas } from '../../store/schemas'
import { Section } from './Section'

interface Props {
  title: string
  /** Entries that name an operator or a function; those are left out. */
  listed: readonly { op: string }[]
  /** "" when none of them is shown. */
  selected: string
  onChoose: (name: string) => void
}

/** The project's operators and functions that a list above has no entry for; open when it has none at all. */
export function OtherOperators({ title, listed, selected, onChoose }: Props): ReactElement | null {
  const load = useSchemas((state) => state.load)
  const functions = useProgramFunctions()
  const taken = new Set(listed.map((entry) => entry.op))
  const names = [...(load?.operators ?? []).map(operatorKey), ...functions.map((item) => item.name)]
  const others = names.filter((name) => !taken.has(name))
  if (others.length === 0) return null
  return (
    <Section title={title} note={String(others.length)} open={listed.length === 0}>
      {others.map((name) => (
        <button
          key={name}
          type="button"
          className={selected === name ? 'entry-row selected' : 'entry-row'}
          aria-pressed={selected === name}
          onClick={() => onChoose(name)}
        >
          <span className="entry-name">
            <span className="mono ellipsis">{name}</span>
          </span>
        </button>
      ))}
    </Section>
  )
}
