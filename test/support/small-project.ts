import fs from 'node:fs'
import path from 'node:path'

import type { TestCache } from './installation'

const source = `#include <torch/library.h>
#include <ATen/core/Tensor.h>
at::Tensor twice(const at::Tensor& x) { return x.add(x); }
TORCH_LIBRARY(doubling, m) { m.def("twice(Tensor x) -> Tensor", twice); }
`

/** A project of one short operator, "doubling::twice", for tests that compile it without precompiled headers: it includes little, so that this is quick. */
export function makeSmallProject(cache: TestCache): string {
  const project = path.join(cache.home, 'doubling')
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'op.cpp'), source)
  const inputs = { x: { shape: [2, 3] } }
  const calls = [{ op: 'doubling::twice', args: ['x'] }]
  const manifest = { name: 'doubling', sources: ['op.cpp'], inputs, calls }
  fs.writeFileSync(path.join(project, 'opsmith.json'), JSON.stringify(manifest))
  return project
}
