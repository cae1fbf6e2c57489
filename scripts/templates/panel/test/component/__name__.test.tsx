import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import { main, open, show } from './support/window'

describe('the panel __title__', () => {
  it('the operators are counted when they are asked for', async () => {
    main.give('registry.list', [{ name: 'aten::mm', overload: '', schema: 'aten::mm(Tensor a)' }])
    await open()
    show('__name__')
    await userEvent.click(screen.getByRole('button', { name: 'Count' }))
    expect(await screen.findByText('1 operators are registered.')).toBeTruthy()
  })

  it('an error is shown instead of the count', async () => {
    main.refuse('registry.list', { code: 'host.unavailable', message: 'No op host starts.' })
    await open()
    show('__name__')
    await userEvent.click(screen.getByRole('button', { name: 'Count' }))
    expect(await screen.findByText('No op host starts.')).toBeTruthy()
  })
})
