import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useBuild } from '../../store/build'
import { useSchemas } from '../../store/schemas'
import { runCommand } from '../../store/commands'
import { virtualGpuFinding } from '../../store/cuda'
import { useDoctor } from '../../store/doctor'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { useStaleness } from '../../store/staleness'
import { compileKernelsFor } from './checking'
import { KernelCounts } from './KernelCounts'
import { KernelFindings } from './KernelFindings'
import { CompiledKernels } from './KernelsTable'
import { OccupancySection } from './Occupancy'
import { useKernels } from './store'

/** What CUDA kernels do wrong, and what they cost, as the virtual GPU sees it; and what they take of a real one. */
export function KernelsPanel(): ReactElement {
  return (
    <div className="panel-column" data-testid="kernels-panel">
      <Bar />
      <div className="scroll">
        <Reports />
        <CompiledKernels />
        <Occupancy />
      </div>
    </div>
  )
}

/** Of kernels, where there are any. */
function Occupancy(): ReactElement | null {
  return useHasKernels() ? <OccupancySection /> : null
}

const isCudaFile = (path: string): boolean => /\.cuh?$/.test(path)

function useHasKernels(): boolean {
  const hasFiles = useProject(
    ({ project }) => project?.files.some(({ path }) => isCudaFile(path)) === true,
  )
  // C++ sources may launch kernels of a library.
  const isVirtual = useBuild((state) => state.value?.report.virtualDevice !== undefined)
  return hasFiles || isVirtual
}

/** Why kernels of this project cannot be checked here; "" where they can, or while that is not known. */
function useWhyNot(): string {
  const finding = useDoctor((state) => virtualGpuFinding(state.value))
  return finding === null || finding.chosen ? '' : finding.why.replace(/\.$/, '')
}

function Bar(): ReactElement | null {
  const variant = useKernels((state) => state.variant)
  const hasKernels = useHasKernels()
  const whyNot = useWhyNot()
  const built = useBuild((state) => state.value?.report.kernelVariant)
  if (!hasKernels && variant === 'plain') return null
  return (
    <div className="panel-bar wraps">
      <VariantBox variant="checked" whyNot={whyNot} />
      <VariantBox variant="counted" whyNot={whyNot} />
      <span className="grow" />
      {built !== undefined && built === variant && <RunAll />}
    </div>
  )
}

const boxes = {
  checked: {
    label: 'Check kernels',
    title: 'Builds the project again, with kernels that report each wrong access to memory',
    testId: 'kernels-check',
  },
  counted: {
    label: 'Count',
    title:
      'Builds the project again, with kernels that count the cost of each line, and without kernel checks',
    testId: 'kernels-count',
  },
} as const

/** A build checks or counts, not both: a box that is ticked clears the other. */
function VariantBox({
  variant,
  whyNot,
}: {
  variant: keyof typeof boxes
  whyNot: string
}): ReactElement {
  const isOn = useKernels((state) => state.variant === variant)
  const { label, title, testId } = boxes[variant]
  return (
    <label className="check" title={title}>
      <input
        type="checkbox"
        checked={isOn}
        disabled={whyNot !== '' && !isOn}
        onChange={(event) => void compileKernelsFor(event.target.checked ? variant : 'plain')}
        data-testid={testId}
      />
      {label}
    </label>
  )
}

function RunAll(): ReactElement {
  return (
    <Button icon="play" onClick={() => runCommand('tests.all')} testId="kernels-run-all">
      Run all tests
    </Button>
  )
}

function Reports(): ReactElement {
  const { variant, report, counts } = useKernels((state) => state)
  const hasKernels = useHasKernels()
  const whyNot = useWhyNot()
  const stamp = useSchemas((state) => state.stamp)
  const isBuilding = useBuild((state) => state.running !== null)
  const staleness = useStaleness(stamp, 'build')
  if (!hasKernels) return <EmptyState icon="chip" text="This project has no CUDA sources." quiet />
  if (whyNot !== '') return <NotHere why={whyNot} />
  if (variant === 'plain') return <Off />
  const isCounted = variant === 'counted'
  const isNothing = isCounted
    ? counts.launches === 0
    : report.launches === 0 && report.findings.length === 0
  if (isNothing) return <Nothing variant={variant} />
  return (
    <>
      <StaleBar staleness={staleness} building={isBuilding} />
      <div className={!isBuilding && staleness === 'older' ? 'stale' : ''}>
        {isCounted ? <KernelCounts counts={counts} /> : <KernelFindings report={report} />}
      </div>
    </>
  )
}

function NotHere({ why }: { why: string }): ReactElement {
  return (
    <EmptyState
      icon="chip"
      text={`Opsmith checks kernels and counts their work only on the virtual GPU. This project does not use the virtual GPU: ${why}.`}
    >
      <Button icon="pulse" onClick={() => showPanel('doctor')}>
        Choose in Doctor
      </Button>
    </EmptyState>
  )
}

function Off(): ReactElement {
  const isBuilding = useBuild((state) => state.running !== null)
  return (
    <EmptyState
      icon="chip"
      text="Kernel checks test each memory access while a kernel runs. They find races, accesses out of bounds, uninitialised reads, and more. Counts show what each line of a kernel costs a GPU. With checks or counts, calls take longer."
    >
      <Button
        primary
        icon="play"
        disabled={isBuilding}
        onClick={() => void compileKernelsFor('checked')}
      >
        Check kernels
      </Button>
      <Button icon="pulse" disabled={isBuilding} onClick={() => void compileKernelsFor('counted')}>
        Count
      </Button>
    </EmptyState>
  )
}

/** No kernel has run since the last build: why, and what to do. */
function Nothing({ variant }: { variant: 'checked' | 'counted' }): ReactElement {
  const build = useBuild((state) => state.value?.report)
  const isBuilding = useBuild((state) => state.running !== null)
  const hasFailed = useBuild((state) => state.error !== null)
  const consequence = variant === 'counted' ? 'there are no counts' : 'nothing was checked'
  const purpose = variant === 'counted' ? 'count what its kernels do' : 'check its kernels'
  if (isBuilding)
    return <EmptyState text={`Building … After the build, run a call to ${purpose}.`} quiet />
  if (hasFailed || build?.ok === false) {
    return (
      <EmptyState icon="chip" text={`The build failed, so ${consequence}.`}>
        <Button onClick={() => showPanel('problems')}>Show the problems</Button>
      </EmptyState>
    )
  }
  if (build && build.virtualDevice === undefined) {
    return (
      <EmptyState
        icon="chip"
        text={`The last build does not use the virtual GPU, so ${consequence}. The log of the build gives the reason.`}
      >
        <Button onClick={() => showPanel('build')}>Show the log</Button>
      </EmptyState>
    )
  }
  if (build?.kernelVariant !== variant)
    return <NeedsBuild icon="chip" text={`Build the project, then run a call to ${purpose}.`} />
  return (
    <EmptyState icon="chip" text={`No kernel ran, so ${consequence}.`}>
      <RunAll />
    </EmptyState>
  )
}
