import path from 'node:path'

import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { commandOptions, Workbench } from '../../electron/engine/workbench'
import { libtorchCases } from '../parity/libtorch-cases'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import type { SoakOptions, SoakResult } from './soak'

/** What the checks find in libtorch's own operators, and why it is no false alarm. */
const known: Record<string, { checks: string[]; reason: string }> = {
  'linear algebra: linalg_matrix_exp(x)': {
    checks: ['dtypes'],
    reason: 'in float16, libtorch gives inf where the result is 4.19',
  },
  'linear algebra: linalg_eigvalsh(x)': {
    checks: ['gradients'],
    reason: 'it reads one triangle only: torch.autograd.gradcheck fails too',
  },
  'linear algebra: linalg_cholesky(x)': {
    checks: ['gradients'],
    reason: 'it reads one triangle only: torch.autograd.gradcheck fails too',
  },
  'linear algebra: kron(x, y)': {
    checks: ['gradient_saved'],
    reason: 'it saves _unsafe_view()s, so autograd does not notice that an input was written to',
  },
  'shape: as_strided(x, [2, 2], [1, 2])': {
    checks: ['layouts'],
    reason: 'what it does depends on the layout by definition',
  },
  'layers and normalization: batch_norm(x, y, z, None, None, true, 0.1, 0.00001, false)': {
    checks: ['gradient_layouts'],
    reason: 'its backward reads weight without its strides',
  },
  'layers and normalization: cosine_similarity(x, y)': {
    checks: ['gradient_arguments'],
    reason: 'eps is applied without autograd, so the gradient is another where eps counts',
  },
}

/** Checks each of libtorch's operators in `libtorchCases`: they are right, so a failed check is a false alarm. */
export async function run({ say }: SoakOptions): Promise<SoakResult> {
  const cache = makeTestCache()
  const workbench = new Workbench(testInstallation(cache), startForkedHost, {}, commandOptions)
  const problems: string[] = []
  let found = 0
  try {
    await workbench.applySettings()
    const folder = copyProject(path.join(root, 'samples/my_op'), cache)
    unwrap(await workbench.builds.build(folder))
    unwrap(await workbench.libraries.load(folder, { timeout: 60 }))
    for (const [name, { op, args, inputs }] of libtorchCases) {
      const request = { op, args, inputs, checks: [] }
      const limits = { timeout: 120, phase: `check ${op}` }
      const report = unwrap(await workbench.hosts.call('operatorCheck.run', request, limits))
      const failed = report.findings.filter(({ status }) => status === 'failed')
      for (const { check, reason } of failed) {
        if (known[name]?.checks.includes(check) === true) found += 1
        else problems.push(`${name}: ${check}: ${reason}`)
      }
    }
  } finally {
    await workbench.close()
    cache.remove()
  }
  say(
    `${libtorchCases.size} calls of libtorch's operators: ${problems.length} false alarms, ` +
      `${found} faults of libtorch's own`,
  )
  return { problems }
}
