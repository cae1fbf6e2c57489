import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ReactElement } from 'react'
import { describe, expect, it } from 'vitest'

import { EntryBar } from '../../renderer/features/graph/EntryBar'
import { changeChoice } from '../../renderer/features/graph/graph'
import { StepsBar } from '../../renderer/features/graph/StepsBar'
import { ProfileDetails } from '../../renderer/features/profile/Details'
import { profileStore } from '../../renderer/features/profile/profile'
import { Against } from '../../renderer/features/timings/Against'
import { editTiming } from '../../renderer/features/timings/run'
import { Icon, type IconName } from '../../renderer/shell/primitives/Icon'
import { SearchField } from '../../renderer/shell/primitives/SearchField'
import { sampleReport } from '../unit/profile-samples'
import './support/window'

/** What an icon draws. */
function drawing(name: IconName): string | null {
  const { container, unmount } = render(<Icon name={name} />)
  const path = container.querySelector('path')?.getAttribute('d') ?? null
  unmount()
  return path
}

const drawnOn = (label: string): string | null | undefined =>
  screen.getByRole('button', { name: label }).querySelector('path')?.getAttribute('d')

function Search(): ReactElement {
  const [text, setText] = useState('')
  return <SearchField value={text} onChange={setText} label="Find" />
}

describe('what clears or goes back does not look like what closes', () => {
  it('a profile: nothing is selected any longer', () => {
    act(() => profileStore.setState({ selection: { kind: 'event', index: 1 } }))
    render(<ProfileDetails report={sampleReport()} />)
    expect(drawnOn('Clear the selection (Escape)')).toBe(drawing('clear'))
  })

  it('a timing: an operator is no longer compared', () => {
    act(() => editTiming({ against: [{ kind: 'expression', text: 'x + x' }] }))
    render(<Against />)
    expect(drawnOn('Remove this comparison')).toBe(drawing('clear'))
  })

  it('a graph: a pass is removed, and a file is left by an arrow', () => {
    act(() => changeChoice({ passes: ['inline'] }))
    render(<StepsBar />)
    expect(drawnOn('Remove inline')).toBe(drawing('clear'))
    act(() =>
      changeChoice({ file: { path: 'model.pt', kind: 'torchscript', entries: [], missing: [] } }),
    )
    render(<EntryBar />)
    expect(drawnOn('Back to the project')).toBe(drawing('back'))
  })

  it('a search: one button empties the field, and the keyboard stays in it', async () => {
    render(<Search />)
    const field = screen.getByRole('searchbox', { name: 'Find' })
    expect(screen.queryByRole('button')).toBeNull()
    await userEvent.type(field, 'conv')
    expect(drawnOn('Clear the search')).toBe(drawing('clear'))
    await userEvent.click(screen.getByRole('button', { name: 'Clear the search' }))
    expect(field).toHaveProperty('value', '')
    expect(document.activeElement).toBe(field)
    expect(screen.queryByRole('button')).toBeNull()
  })
})
