import fs from 'node:fs'
import path from 'node:path'

import { afterEach, beforeEach, expect, it } from 'vitest'

import { App } from '../support/app'
import { decorations } from '../support/editor-parts'
import { makeTestCache } from '../support/installation'
import type { TestCache } from '../support/installation'

const buildTime = 170_000
let cache: TestCache
let app: App
let folder: string

const source = `#include <ATen/ATen.h>
#include <torch/library.h>

#include "half_step.cuh"

__global__ void mirror_kernel(const float* x, float* y, bool ordered) {
  __shared__ float row[64];
  row[threadIdx.x] = x[threadIdx.x];
  if (ordered) __syncthreads();
  float half = half_step(x[threadIdx.x]);
  y[threadIdx.x] = half + row[63 - threadIdx.x];
}

static at::Tensor mirror(const at::Tensor& x, bool ordered) {
  at::Tensor y = at::empty_like(x);
  mirror_kernel<<<1, 64>>>(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), ordered);
  return y;
}

TORCH_LIBRARY(stepped, m) { m.def("mirror(Tensor x, bool ordered) -> Tensor"); }
TORCH_LIBRARY_IMPL(stepped, CUDA, m) { m.impl("mirror", &mirror); }
`
const header = `#pragma once
__device__ inline float half_step(float x) {
  return x * 0.5f;
}
`
const manifest = {
  name: 'stepped',
  sources: ['op.cu'],
  inputs: { row: { shape: [64], distribution: 'randn', seed: 2, device: 'cuda' } },
  calls: [{ op: 'stepped::mirror', args: ['row', false] }],
}

/** The line of the source with this text, 1-based. */
const lineWith = (text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1

beforeEach(async () => {
  cache = makeTestCache()
  folder = path.join(cache.home, 'stepped')
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'op.cu'), source)
  fs.writeFileSync(path.join(folder, 'half_step.cuh'), header)
  fs.writeFileSync(path.join(folder, 'opsmith.json'), JSON.stringify(manifest))
  app = await App.start(cache, folder)
})
afterEach(async () => {
  await app.close()
  cache.remove()
})

it('a kernel stops at the line of the cursor, and goes on line by line', async () => {
  await app.resize(1280, 720)
  const line = lineWith('half_step(x[threadIdx.x])')
  const goTo = async (wanted: number): Promise<void> => {
    await app.caretAt('op.cu', wanted)
    await app.focused('op.cu')
  }
  await goTo(line)
  await app.page.keyboard.press('Control+F8')
  const where = app.testId('stepping-where')
  await where.waitFor({ timeout: buildTime })
  expect(await where.textContent()).toBe(
    'mirror_kernel, block (0, 0, 0) of 1 × 1 × 1, launch 1, 64 × 1 × 1 threads, after 0 barriers',
  )
  expect(await app.testId('stepping-groups').textContent()).toBe(
    `64 threads stopped at op.cu:${line}`,
  )
  expect(await app.testId('stepping-same').textContent()).toContain('orderedfalse')
  // Editors draw decorations in the next frame.
  await expect.poll(() => decorations(app.page, 'stepping-line').count()).toBe(1)
  expect(await app.testId('stepping-lanes').locator('tbody tr').count()).toBe(32)
  await app.testId('stepping-warp').selectOption('1')
  await app.testId('stepping-lanes').getByText('32, 0, 0').waitFor()

  // Into the function of the header, which opens.
  await app.testId('stepping-step').click()
  await app.testId('stepping-groups').getByText('half_step.cuh:').waitFor()
  await app.testId('editor-half_step.cuh').waitFor()

  // From here on, all have written and read the same row without a barrier.
  await goTo(line + 2)
  await app.page.keyboard.press('Control+F8')
  const races = app.testId('stepping-races')
  await races.waitFor()
  expect(await races.textContent()).toMatch(
    /^Race on row\[\d+\]: thread \d+ writes at op\.cu:\d+, thread \d+ reads at/,
  )
  expect(await app.page.getByTitle(/, with a race$/).count()).toBe(64)
  await app.pictures('stepping')
  await app.testId('stepping-shared-row').scrollIntoViewIfNeeded()
  await app.picture('stepping-shared')

  await app.page.keyboard.press('Control+F5')
  await app.testId('stepping-panel').getByText('The call ended.').waitFor()
  await expect.poll(() => decorations(app.page, 'stepping-line').count()).toBe(0)

  await goTo(line)
  await app.page.keyboard.press('Shift+F10')
  await app.page.getByRole('menuitem', { name: 'Run to this line' }).hover()
  await app.page.keyboard.press('Enter')
  await where.waitFor({ timeout: buildTime })
  await app.testId('stepping-stop').click()
  await app.testId('stepping-run').waitFor()
})
