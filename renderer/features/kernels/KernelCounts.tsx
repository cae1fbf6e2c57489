import type { ReactElement } from 'react'

import { countRows, launchesText, sectorBytes } from '../../../electron/contract/count-rows'
import { estimateLabel, estimateText } from '../../../electron/contract/gpu-estimate'
import type {
  GpuCounts,
  GpuKernelCounts,
  GpuLineCounts,
} from '../../../electron/contract/gpu-counts'
import { FileLink } from '../../shell/primitives/FileLink'
import { formatCount } from '../../shell/primitives/format'
import { HelpLink } from '../../shell/primitives/HelpLink'
import { Section } from '../../shell/primitives/Section'
import { isMetric, metricNames, metrics } from './metrics'
import { kernelsStore, useKernels } from './store'
import { basisText, bytesText } from './texts'

/** What each kernel costs a GPU, and each of its lines. */
export function KernelCounts({ counts }: { counts: GpuCounts }): ReactElement {
  const { launches, missedAccesses, kernels } = counts
  const model = useModel(counts)
  return (
    <div data-testid="kernels-counts">
      <div className="kernels-counts-head side-pad">
        <p>
          {formatCount(launches, 'launch', 'launches')} counted. {basisText}{' '}
          <HelpLink page="explanation/virtual-gpu" heading="Counts">
            About the counts
          </HelpLink>
        </p>
        {missedAccesses > 0 && (
          <p className="tone-warning">
            {formatCount(missedAccesses, 'access is', 'accesses are')} not counted. Between two
            barriers or warp operations, a warp made more accesses than Opsmith can record.
          </p>
        )}
        <MetricField />
        <ModelField counts={counts} />
      </div>
      {kernels.map((kernel) => (
        <KernelSection
          model={model}
          key={JSON.stringify([kernel.kernel, kernel.launched, kernel.staticShared])}
          kernel={kernel}
        />
      ))}
    </div>
  )
}

function MetricField(): ReactElement {
  const metric = useKernels((state) => state.metric)
  return (
    <label className="kernels-metric">
      Shown in the editor
      <select
        value={metric ?? ''}
        onChange={({ target }) => {
          kernelsStore.setState({ metric: isMetric(target.value) ? target.value : null })
        }}
        data-testid="kernels-metric"
      >
        {metrics.map((one) => (
          <option key={one} value={one}>
            {metricNames[one]}
          </option>
        ))}
        <option value="">Nothing</option>
      </select>
    </label>
  )
}

/** Which GPU times are estimated for. */
function ModelField({ counts }: { counts: GpuCounts }): ReactElement | null {
  const chosen = useModel(counts)
  const models = modelsOf(counts)
  if (models.length === 0) return null
  return (
    <label className="kernels-metric">
      Time on
      <select
        value={chosen}
        onChange={({ target }) => kernelsStore.setState({ model: target.value })}
        data-testid="kernels-model"
      >
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </select>
      <span className="muted">{estimateLabel}</span>
    </label>
  )
}

const modelsOf = ({ kernels }: GpuCounts): string[] => [
  ...new Set(kernels.flatMap(({ estimates }) => estimates.map(({ model }) => model))),
]

function useModel(counts: GpuCounts): string {
  const chosen = useKernels((state) => state.model)
  const models = modelsOf(counts)
  return models.includes(chosen) ? chosen : (models[0] ?? '')
}

function KernelSection({
  kernel,
  model,
}: {
  kernel: GpuKernelCounts
  model: string
}): ReactElement {
  const estimate = kernel.estimates.find((one) => one.model === model)
  return (
    <Section title={kernel.kernel} note={launchesText(kernel)}>
      <p className="side-pad number" data-testid="kernels-counts-total">
        {totalText(kernel)}
      </p>
      {estimate && (
        <p
          className="side-pad"
          title={`Source of the peak rates of this GPU: ${estimate.source}`}
          data-testid="kernels-estimate"
        >
          A launch takes <span className="number">{estimateText(estimate)}</span> on {model},
          limited by {estimate.boundBy}: {estimateLabel}.
        </p>
      )}
      <div className="kernels-wide">
        <table className="table kernels-lines" data-testid="kernels-counts-lines">
          <thead>
            <tr>
              <th scope="col">Line</th>
              <th scope="col">What</th>
              <th scope="col" className="right">
                Requests
              </th>
              <th
                scope="col"
                className="right"
                title="Average active lanes of a warp per request or barrier"
              >
                Lanes of 32
              </th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>{kernel.lines.map(LineRows)}</tbody>
        </table>
      </div>
    </Section>
  )
}

function LineRows(line: GpuLineCounts): ReactElement[] {
  const { file, line: number } = line.place
  return countRows(line).map((row, index) => (
    <tr key={`${file}:${number} ${row.what}`}>
      <td>
        {index > 0 ? null : file === '' ? (
          <span className="muted">unknown line</span>
        ) : (
          <FileLink file={file} line={number} short />
        )}
      </td>
      <td>{row.what}</td>
      <td className="right number">{row.requests}</td>
      <td className="right number">{row.lanes}</td>
      <td className="number">{row.cost}</td>
    </tr>
  ))
}

/** "Global memory: 16.4 kB read, 2.0 kB written. 3.56 operations per byte." */
function totalText({ total, arithmeticIntensity }: GpuKernelCounts): string {
  const moved = (access: { sectors: number } | undefined): string =>
    bytesText(sectorBytes * (access?.sectors ?? 0))
  const memory = `Global memory: ${moved(total.globalLoads)} read, ${moved(total.globalStores)} written.`
  if (!total.operations)
    return `${memory} Operations are not counted: Opsmith found no objdump that can read the machine code. Install binutils or LLVM.`
  if (arithmeticIntensity === null) return memory
  return `${memory} Arithmetic intensity: ${arithmeticIntensity.toPrecision(3)} operations per byte.`
}
