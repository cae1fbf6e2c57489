import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it } from 'vitest'

import { err, ok } from '../../electron/contract/outcome'
import type { Sample } from '../../electron/contract/project'
import { defaultSettings } from '../../electron/contract/settings'
import { pictureOf } from '../../renderer/features/gallery/picture'
import { featureOf } from '../../renderer/store/feature'
import { newProjectStore } from '../../renderer/store/new-project'
import { loadSettings } from '../../renderer/store/settings'
import { main } from './support/window'

function sampleOf(name: string, example: Sample['example'] = null): Sample {
  return { name, description: `About ${name}`, folder: '', tags: ['CPU'], example, missing: '' }
}

const drawn: NonNullable<Sample['example']> = {
  operator: 'gc_layer',
  inputs: [
    { name: 'a', shape: [6, 3], requiresGrad: true },
    { name: 'x', shape: [2, 1_000, 1_000], requiresGrad: false },
  ],
}

beforeEach(async () => {
  main.give('project.samples', [sampleOf('gc_layer', drawn), sampleOf('plain')])
  // Openings of the tests end at main: what opens is another test's matter.
  main.answer('project.open', () => err('io', 'The folder cannot be read.'))
  main.give('settings.get', {
    ...defaultSettings,
    recentProjects: ['/home/me/first_op', '/home/me/second_op'],
  })
  await act(() => loadSettings())
})

function showWelcome(): void {
  const Page = featureOf('gallery')?.panel?.Page
  if (!Page) throw new Error('the gallery has no page')
  render(<Page />)
}

const opened = (): string[] => main.asked('project.open').map(({ folder }) => folder)

describe('the first page of the window', () => {
  it('a card draws the first call of its sample, and opens a copy', async () => {
    main.answer('project.copySample', ({ name }) => ok({ folder: `/home/me/opsmith/${name}` }))
    showWelcome()
    const card = within(await screen.findByTestId('gallery-card-gc_layer'))
    const label = 'gc_layer of a [6, 3], x [2, 1000, 1000]'
    expect(card.getByRole('img', { name: label }).textContent).toBe('gc_layer')
    await userEvent.click(card.getByRole('button', { name: 'Open a copy of gc_layer' }))
    await waitFor(() => expect(opened()).toEqual(['/home/me/opsmith/gc_layer']))
  })

  it('a sample without calls has a card without a picture', async () => {
    showWelcome()
    const card = within(await screen.findByTestId('gallery-card-plain'))
    expect(card.queryByRole('img')).toBeNull()
    expect(card.getByText('About plain')).toBeTruthy()
  })

  it('a recent project opens with a click on its name', async () => {
    showWelcome()
    await userEvent.click(screen.getByRole('button', { name: 'second_op' }))
    await waitFor(() => expect(opened()).toEqual(['/home/me/second_op']))
    expect(await screen.findByTestId('project-error')).toBeTruthy()
  })

  it('"Open folder" opens what the dialog answers, and nothing when it is left', async () => {
    main.give('project.choose', null)
    showWelcome()
    await userEvent.click(screen.getByRole('button', { name: /^Open folder/ }))
    await waitFor(() => expect(main.asked('project.choose')).toEqual([{ purpose: 'project' }]))
    main.give('project.choose', { folder: '/home/me/chosen' })
    await userEvent.click(screen.getByRole('button', { name: /^Open folder/ }))
    await waitFor(() => expect(opened()).toEqual(['/home/me/chosen']))
  })

  it('"New project" shows the dialog with its templates', async () => {
    const template = {
      id: 'operator',
      title: 'Operator',
      description: '',
      position: 1,
      isOperator: true,
    }
    main.give('project.templates', { templates: [template], parent: '/home/me/opsmith' })
    showWelcome()
    await userEvent.click(screen.getByRole('button', { name: /^New project/ }))
    await waitFor(() =>
      expect(newProjectStore.getState().shown).toMatchObject({
        template: 'operator',
        parent: '/home/me/opsmith',
      }),
    )
    act(() => newProjectStore.setState({ shown: null }))
  })
})

describe('the picture of a call', () => {
  it('has tensors in the proportions of their shapes, next to one another, before the operator', () => {
    const { tensors, operator, width } = pictureOf(drawn)
    const [first, second] = tensors
    expect(first?.height).toBeCloseTo((first?.width ?? 0) * 2)
    expect(second?.height).toBeCloseTo(second?.width ?? 0)
    expect(second?.x).toBeGreaterThan((first?.x ?? 0) + (first?.width ?? 0))
    expect(operator.x).toBeGreaterThan((second?.x ?? 0) + (second?.width ?? 0))
    expect(width).toBeGreaterThan(operator.x + operator.width)
  })

  it('shows more than two dimensions as depth, and the way of gradients where they are required', () => {
    const { tensors, gradients } = pictureOf(drawn)
    const [first, second] = tensors
    expect(first?.depth).toBe(0)
    expect(second?.depth).toBeGreaterThan(0)
    // The way from the operator, and one of its ends.
    expect(gradients.match(/M/g)).toHaveLength(2)
    expect(gradients).toContain(`M${(first?.x ?? 0) + (first?.width ?? 0) / 2} `)
    const inputs = drawn.inputs.map((input) => ({ ...input, requiresGrad: false }))
    expect(pictureOf({ ...drawn, inputs }).gradients).toBe('')
  })

  it('draws at most four inputs and eight rows, whatever a sample has', () => {
    const input = { name: 'x', shape: [1_000, 1_000], requiresGrad: false }
    const { tensors } = pictureOf({ operator: 'f', inputs: Array(6).fill(input) as [] })
    expect(tensors).toHaveLength(4)
    expect(tensors[0]?.grid.match(/h/g)).toHaveLength(7)
    expect(pictureOf({ operator: 'f', inputs: [] }).tensors).toEqual([])
  })
})
