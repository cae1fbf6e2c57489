import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type { AssemblyForm, AssemblyListing } from '../../electron/contract/assembly'
import { err, ok } from '../../electron/contract/outcome'
import { folder } from './support/answers'
import { build, main, open, show } from './support/window'

const kernel = {
  id: 'f',
  name: 'f(int)',
  title: 'f',
  file: `${folder}/op.cpp`,
  line: 3,
  size: 8,
}

function listingOf(whyNot: Partial<Record<AssemblyForm, string>>): AssemblyListing {
  const forms = (['machine', 'ptx', 'sass'] as const).map((form) => {
    return { form, whyNot: whyNot[form] ?? '' }
  })
  return { functions: [kernel], forms }
}

function giveFunction(): void {
  main.answer('assembly.show', ({ choice: { form } }) =>
    ok({ form, function: kernel, rows: [], mix: [], architecture: 'x86-64', tool: 'objdump' }),
  )
}

async function openAssembly(): Promise<void> {
  giveFunction()
  await open()
  await build()
  show('assembly')
  await screen.findByTestId('assembly-name')
}

describe('the forms of the Assembly panel', () => {
  it('a form that is not to be had here is shown disabled with its reason', async () => {
    const why = 'nvdisasm is not installed.'
    main.give('assembly.list', listingOf({ sass: why }))
    await openAssembly()
    const sass = screen.getByTestId('assembly-form-sass')
    expect(sass.getAttribute('aria-disabled')).toBe('true')
    expect(sass.title).toBe(why)
    await userEvent.click(sass)
    expect(main.asked('assembly.list').map(({ form }) => form)).toEqual(['machine'])
    await userEvent.click(screen.getByTestId('assembly-form-ptx'))
    await waitFor(() => {
      expect(main.asked('assembly.list').at(-1)?.form).toBe('ptx')
    })
  })

  it('the switch stays when a form cannot be listed, and leads back', async () => {
    main.answer('assembly.list', ({ form }) =>
      form === 'sass' ? err('toolchain.missing', 'nvdisasm is not installed.') : ok(listingOf({})),
    )
    await openAssembly()
    await userEvent.click(screen.getByTestId('assembly-form-sass'))
    expect((await screen.findByTestId('assembly-error')).textContent).toContain('nvdisasm')
    await userEvent.click(screen.getByTestId('assembly-form-machine'))
    await screen.findByTestId('assembly-name')
    expect(screen.getByTestId('assembly-form-machine').getAttribute('aria-selected')).toBe('true')
  })
})
