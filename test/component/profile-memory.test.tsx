import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'

import type { ProfileReport } from '../../electron/contract/profile'
import { MemoryView } from '../../renderer/features/profile/MemoryView'
import { sampleReport } from '../unit/profile-samples'

/** A profile whose memory is all on one device. */
const reportOn = (device: string): ProfileReport =>
  sampleReport({
    memory: [{ device, times: [0], bytes: [100], peak: 100, peakTime: 0, end: 0, holders: [] }],
  })

it('the memory of a GPU says what its allocator does not count', () => {
  const { rerender } = render(<MemoryView report={reportOn('cuda:0')} />)
  const section = screen.getByRole('region', { name: 'Memory of cuda:0' })
  expect(section.textContent).toContain('which rounds sizes up')
  expect(section.textContent).toContain('these need 300 to 500 MB on a GPU')
  rerender(<MemoryView report={reportOn('cpu')} />)
  expect(screen.getByRole('region', { name: 'Memory of cpu' }).textContent).not.toMatch(/GPU/)
})
