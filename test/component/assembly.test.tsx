import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'

import type {
  AssemblyForm,
  AssemblyListing,
  AssemblyReport,
} from '../../electron/contract/assembly'
import { err, ok } from '../../electron/contract/outcome'
import { filesStore } from '../../renderer/store/files'
import { folder } from './support/answers'
import { build, expectNone, main, open, show } from './support/window'

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
  return { functions: [kernel], forms, compilers: ['g++-12'] }
}

function giveFunction(): void {
  main.answer('assembly.show', ({ choice: { form } }) =>
    ok({
      form,
      function: kernel,
      rows: [],
      mix: [],
      architecture: 'x86-64',
      tool: 'objdump',
      meanings: {},
      loops: [],
    }),
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

const line = { file: `${folder}/op.cpp`, inlined: '' }
const rows = [
  { ...line, kind: 'label' as const, address: '', text: '.L1:', line: 0, target: -1 },
  {
    ...line,
    kind: 'instruction' as const,
    address: '10',
    text: 'addps xmm0,xmm1',
    line: 4,
    target: -1,
  },
  { ...line, kind: 'instruction' as const, address: '14', text: 'frob eax', line: 4, target: -1 },
  { ...line, kind: 'instruction' as const, address: '18', text: 'jne .L1', line: 4, target: 0 },
]
const report: AssemblyReport = {
  form: 'machine',
  function: kernel,
  rows,
  mix: [{ what: 'instructions', count: 3 }],
  architecture: 'x86-64',
  tool: 'objdump',
  meanings: { addps: 'Add Packed Single-Precision Floating-Point Values' },
  loops: [{ first: 0, last: 3, file: kernel.file, line: 4, instructions: 3 }],
}

async function openReport(): Promise<void> {
  main.give('assembly.list', listingOf({}))
  main.give('assembly.show', report)
  await open()
  await build()
  show('assembly')
  await screen.findByTestId('assembly-name')
}

describe('what the Assembly panel says of instructions', () => {
  it('the foot explains the instruction that is selected, and says nothing of one it does not know', async () => {
    await openReport()
    const list = screen.getByTestId('assembly-rows')
    list.focus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    expect(screen.getByTestId('assembly-foot').textContent).toContain('Add Packed Single')
    await userEvent.keyboard('{ArrowDown}')
    expect(screen.getByTestId('assembly-foot').textContent).toBe('')
  })

  it('a line without instructions shows those of the line where its macro begins, and says so', async () => {
    await openReport()
    const caret = (line: number): void =>
      act(() => filesStore.setState({ active: { path: 'op.cpp', line, column: 1 } }))
    caret(9)
    const said = await screen.findByTestId('assembly-no-code')
    expect(said.textContent).toBe(
      'Line 9 has no instructions of its own. The instructions of line 4 are selected.',
    )
    const selected = (): string | null =>
      screen.getByTestId('assembly-rows').getAttribute('aria-activedescendant')
    expect(selected()).toBe('assembly-row-1')
    // The answer for another line of the same function keeps the place.
    caret(10)
    await screen.findByText(/^Line 10 has no/)
    expect(selected()).toBe('assembly-row-1')
    caret(4)
    await waitFor(() => expectNone('assembly-no-code'))
  })

  it('L estimates the loop around the instruction, and a missing llvm-mca is named', async () => {
    main.answer('assembly.estimate', () =>
      err(
        'toolchain.missing',
        'Opsmith needs llvm-mca to estimate the cycles of a loop, but llvm-mca is not installed.',
        {
          hint: 'apt-get install llvm-19',
        },
      ),
    )
    await openReport()
    screen.getByTestId('assembly-rows').focus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}l')
    expect((await screen.findByTestId('assembly-error')).textContent).toContain('llvm-19')
    expect(main.asked('assembly.estimate')).toMatchObject([{ loop: { first: 0, last: 3 } }])
  })

  it('a comparison names both sides and counts what differs', async () => {
    const other = { ...report, rows: rows.slice(0, 3), mix: [{ what: 'instructions', count: 2 }] }
    const pairs = [0, 1, 2].map((index) => ({ base: index, other: index, same: true }))
    main.give('assembly.compare', {
      base: report,
      other,
      baseLabel: 'now',
      otherLabel: '-O3',
      pairs: [...pairs, { base: 3, other: -1, same: false }],
    })
    await openReport()
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), 'flags:-O3')
    const summary = await screen.findByTestId('assembly-compared-with')
    expect(summary.textContent).toBe('− -O3: 2 instructions+ now: 3 instructions1 row differs')
    expect(main.asked('assembly.compare')).toMatchObject([
      { other: { kind: 'flags', flags: ['-O3'] }, choice: { name: 'f' } },
    ])
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), '')
    await screen.findByTestId('assembly-rows')
  })

  it('both sides are chosen: flags against flags, and another compiler', async () => {
    main.give('assembly.compare', {
      base: report,
      other: report,
      baseLabel: '-O2',
      otherLabel: 'g++ 12.2.0 -O3',
      pairs: [0, 1, 2, 3].map((index) => ({ base: index, other: index, same: true })),
    })
    await openReport()
    expectNone('assembly-base')
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), 'other flags …')
    await userEvent.type(screen.getByTestId('assembly-flags'), 'g++-12 -O3{Enter}')
    await userEvent.selectOptions(await screen.findByTestId('assembly-base'), 'flags:-O2')
    expect((await screen.findByTestId('assembly-compared-with')).textContent).toBe(
      '− g++ 12.2.0 -O3: 3 instructions+ -O2: 3 instructionsthe same instructions',
    )
    expect(main.asked('assembly.compare').at(-1)).toMatchObject({
      base: { kind: 'flags', flags: ['-O2'], compiler: '' },
      other: { kind: 'flags', flags: ['-O3'], compiler: 'g++-12' },
    })
    await userEvent.selectOptions(screen.getByTestId('assembly-base'), 'g++-12')
    expect(main.asked('assembly.compare').at(-1)).toMatchObject({
      base: { kind: 'flags', flags: [], compiler: 'g++-12' },
    })
    // The next comparison begins with the loaded build.
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), '')
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), 'flags:-O0')
    expect(main.asked('assembly.compare').at(-1)).toMatchObject({ base: { kind: 'loaded' } })
  })

  it('Stop ends a comparison that compiles, and it can be asked for again', async () => {
    await openReport()
    const comparison = main.hold('assembly.compare')
    await userEvent.selectOptions(screen.getByTestId('assembly-against'), 'flags:-O3')
    const { job } = await comparison.asked
    await userEvent.click(screen.getByTestId('assembly-compare-stop'))
    expect(main.asked('job.cancel')).toContainEqual({ job, byUser: true })
    await userEvent.click(await screen.findByTestId('assembly-compare-again'))
    expect(main.asked('assembly.compare')).toHaveLength(2)
    expectNone('assembly-error')
  })
})
