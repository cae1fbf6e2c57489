import { execFileSync } from 'node:child_process'
import path from 'node:path'

import type { TimingRow } from '../../electron/contract/timing-report'
import { inputSpec } from '../../electron/contract/manifest'
import { unwrap } from '../../electron/contract/outcome'
import { startForkedHost } from '../../electron/engine/host/transport'
import { Workbench } from '../../electron/engine/workbench'
import { copyProject, makeTestCache, root, testInstallation } from '../support/installation'
import { python } from '../support/python'
import { row } from './measure'
import type { BenchmarkOptions, Row } from './measure'

/** Elements of float32: from those that fit into a core’s first cache to 16 MB. */
const sizes = [4096, 65_536, 262_144, 1_048_576, 4_194_304]
/** Inputs are made anew in each run, in a new process. */
const runs = 4
/** The call beside itself, so often in a run. */
const copies = 3
/** Of samples, for each row; our default. */
const seconds = 0.5

/** As one would: two tensors of the same shape, a Timer of each, one after the other. Prints ratios of medians. */
const timer = `
import json, sys, torch
from torch.utils.benchmark import Timer
size, copies, seconds = json.loads(sys.argv[1])
torch.set_num_threads(1)
def median():
    x = torch.randn(size)
    made = Timer("torch.sigmoid(x)", globals={"torch": torch, "x": x})
    return x, made.blocked_autorange(min_run_time=seconds).median
kept = [median() for _ in range(copies + 1)]
print(json.dumps([one / kept[0][1] for _, one in kept[1:]]))
`

const distance = (ratio: number): number => 100 * Math.abs(ratio - 1)

/**
 * aten::sigmoid beside itself: how far from 1 the ratios are, and how often it is said to be faster or slower, which
 * is wrong each time. Beside two of torch.utils.benchmark.Timer on a tensor each, which says nothing of the kind.
 */
export async function run(options: BenchmarkOptions): Promise<Row[]> {
  const cache = makeTestCache()
  const folder = copyProject(path.join(root, 'samples/sigmoid'), cache)
  const workbench = new Workbench(testInstallation(cache), startForkedHost)
  const rows: Row[] = []
  try {
    await workbench.applySettings()
    unwrap(await workbench.builds.build(folder))
    for (const size of sizes) {
      const ours: TimingRow[] = []
      const theirs: number[] = []
      for (let count = 0; count < runs; count += 1) {
        options.say(`sigmoid of [${size}] beside itself, run ${count + 1} of ${runs}`)
        unwrap(await workbench.hosts.restart())
        const itself = {
          op: 'aten::sigmoid',
          args: ['x'],
          builds: [],
          seconds,
          inputs: { x: inputSpec.parse({ shape: [size], seed: count }) },
          directions: ['forward' as const],
        }
        const against = Array.from({ length: copies }, () => ({ op: 'aten::sigmoid' }))
        const report = unwrap(await workbench.timings.run(folder, [{ ...itself, against }], {}))
        ours.push(...report.rows.slice(1))
        const given = JSON.stringify([size, copies, seconds])
        const said = execFileSync(python, ['-c', timer, given], { encoding: 'utf8' })
        theirs.push(...(JSON.parse(said) as number[]))
      }
      const ratios = ours.flatMap((one) => (one.ratio ? [one.ratio] : []))
      const wrong = ratios.filter(({ verdict }) => verdict !== 'no difference').length
      rows.push({
        ...row(
          `aten::sigmoid of [${size}] beside itself, distance of the ratio from 1`,
          '%',
          ratios.map(({ ratio }) => distance(ratio)),
          { name: 'two torch.utils.benchmark.Timer', samples: theirs.map(distance) },
        ),
        verdict: `called faster or slower in ${wrong} of ${ratios.length}`,
      })
    }
    return rows
  } finally {
    await workbench.close()
    cache.remove()
  }
}
