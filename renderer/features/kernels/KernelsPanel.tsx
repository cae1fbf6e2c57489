import type { ReactElement } from 'react'

import { Button } from '../../shell/primitives/Button'
import { EmptyState } from '../../shell/primitives/EmptyState'
import { NeedsBuild } from '../../shell/primitives/NeedsBuild'
import { StaleBar } from '../../shell/primitives/StaleBar'
import { useBuild } from '../../store/build'
import { runCommand } from '../../store/commands'
import { virtualGpuFinding } from '../../store/cuda'
import { useDoctor } from '../../store/doctor'
import { useStaleness } from '../../store/files'
import { showPanel } from '../../store/layout'
import { useProject } from '../../store/project'
import { checkKernels } from './checking'
import { KernelFindings } from './KernelFindings'
import { CompiledKernels } from './KernelsTable'
import { useKernels } from './store'

/** What CUDA kernels do wrong while they run on the virtual GPU, and what they take of a real one. */
export function KernelsPanel(): ReactElement {
  return (
    <div className="panel-column" data-testid="kernels-panel">
      <Bar />
      <div className="scroll">
        <Checks />
        <CompiledKernels />
      </div>
    </div>
  )
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
  const isOn = useKernels((state) => state.isOn)
  const hasKernels = useHasKernels()
  const whyNot = useWhyNot()
  const isChecked = useBuild((state) => state.value?.report.checksKernels === true)
  if (!hasKernels && !isOn) return null
  return (
    <div className="panel-bar wraps">
      <label className="check" title="Builds again, with kernels that report each wrong access">
        <input
          type="checkbox"
          checked={isOn}
          disabled={whyNot !== '' && !isOn}
          onChange={(event) => void checkKernels(event.target.checked)}
          data-testid="kernels-check"
        />
        Check kernels
      </label>
      <span className="grow" />
      {isOn && isChecked && <RunAll />}
    </div>
  )
}

function RunAll(): ReactElement {
  return (
    <Button icon="play" onClick={() => runCommand('tests.all')} testId="kernels-run-all">
      Run all tests
    </Button>
  )
}

function Checks(): ReactElement {
  const { isOn, report } = useKernels((state) => state)
  const hasKernels = useHasKernels()
  const whyNot = useWhyNot()
  const stamp = useBuild((state) => state.stamp)
  const isBuilding = useBuild((state) => state.running !== null)
  const staleness = useStaleness(stamp, 'build')
  if (!hasKernels) return <EmptyState icon="chip" text="This project has no CUDA sources." quiet />
  if (whyNot !== '') return <NotHere why={whyNot} />
  if (!isOn) return <Off />
  if (report.launches === 0 && report.findings.length === 0) return <Nothing />
  return (
    <>
      {!isBuilding && <StaleBar staleness={staleness} />}
      <div className={!isBuilding && staleness === 'older' ? 'stale' : ''}>
        <KernelFindings report={report} />
      </div>
    </>
  )
}

function NotHere({ why }: { why: string }): ReactElement {
  return (
    <EmptyState
      icon="chip"
      text={`Kernels are checked on the virtual GPU. This project does not use it: ${why}.`}
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
      text="Kernel checks look at each memory access of a kernel while it runs. They find races, accesses out of bounds, uninitialised reads, and more. Calls take longer."
    >
      <Button primary icon="play" disabled={isBuilding} onClick={() => void checkKernels(true)}>
        Check kernels
      </Button>
    </EmptyState>
  )
}

/** No kernel has run since the last build: why, and what to do. */
function Nothing(): ReactElement {
  const build = useBuild((state) => state.value?.report)
  const isBuilding = useBuild((state) => state.running !== null)
  const hasFailed = useBuild((state) => state.error !== null)
  if (isBuilding)
    return <EmptyState text="Building … Run a call after the build to check its kernels." quiet />
  if (hasFailed || build?.ok === false) {
    return (
      <EmptyState icon="chip" text="The build failed, so nothing was checked.">
        <Button onClick={() => showPanel('problems')}>Show the problems</Button>
      </EmptyState>
    )
  }
  if (build && build.virtualDevice === undefined) {
    return (
      <EmptyState
        icon="chip"
        text="The last build does not use the virtual GPU, so nothing was checked. The log of the build gives the reason."
      >
        <Button onClick={() => showPanel('build')}>Show the log</Button>
      </EmptyState>
    )
  }
  if (build?.checksKernels !== true)
    return <NeedsBuild icon="chip" text="Kernels are checked after the next build." />
  return (
    <EmptyState icon="chip" text="No kernel ran, so nothing was checked.">
      <RunAll />
    </EmptyState>
  )
}
