import { Fragment, useEffect, useState, type ReactElement } from 'react'

import type { AppOutput } from '../../../electron/contract/app-calls'
import { machineOf } from '../../../electron/contract/project-place'
import type { Settings } from '../../../electron/contract/settings'
import { call } from '../../bridge/bridge'
import { Button } from '../../shell/primitives/Button'
import { CommitField } from '../../shell/primitives/CommitField'
import { gpuChoices } from '../../shell/primitives/gpu-choices'
import { chooseTools, runDoctor } from '../../store/doctor'
import { showPanel, useLayout } from '../../store/layout'
import { useProject } from '../../store/project'
import { changeSettings, useSettings } from '../../store/settings'
import { CheckSetting } from './CheckSetting'
import { SandboxSettings } from './SandboxSettings'
import { TrustedFolders } from './TrustedFolders'
import { VersionSetting } from './VersionSetting'

const themes: Record<Settings['theme'], string> = {
  system: 'Same as the system',
  dark: 'Dark',
  light: 'Light',
  contrast: 'High contrast',
}

const levels: readonly Settings['optimization'][] = ['O0', 'O1', 'O2', 'O3']

const compilerFlags = [
  {
    name: 'fastMath',
    testId: 'settings-fast-math',
    words: '-ffast-math: reorders sums, and assumes that no value is NaN or infinite',
  },
  {
    name: 'marchNative',
    testId: 'settings-march-native',
    words: '-march=native: the library runs only on processors like the processor of this machine',
  },
  {
    name: 'setuptoolsFlags',
    testId: 'settings-setuptools-flags',
    words: '-DNDEBUG -fwrapv: the flags of setuptools; assert() does nothing',
  },
] as const

const gibibyte = 1024 ** 3
/** Milliseconds between two looks at the helpers' memory. */
const memoryInterval = 2_000

export function SettingsPanel(): ReactElement {
  const settings = useSettings((state) => state)
  const target = useProject(({ project }) => project?.target ?? '')
  return (
    <div className="panel-column page" data-testid="settings-panel">
      <div className="scroll panel-pad">
        <h2>Settings</h2>
        {target !== '' && (
          <p className="muted" data-testid="settings-machine">
            These settings apply to this machine. {machineOf(target)} has its own settings file for
            builds, calls and tools.
          </p>
        )}
        <div className="form settings-form">
          <label htmlFor="settings-theme">Theme</label>
          <select
            id="settings-theme"
            value={settings.theme}
            data-testid="settings-theme"
            onChange={(event) =>
              void changeSettings({ theme: event.target.value as Settings['theme'] })
            }
          >
            {Object.entries(themes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <NumberSetting
            id="settings-font-size"
            label="Text size"
            unit="px, scales the whole window"
            value={settings.fontSize}
            min={8}
            max={32}
            onChange={(fontSize) => changeSettings({ fontSize })}
          />
          <CommitField
            id="settings-projects-folder"
            label="New projects"
            text={settings.projectsFolder}
            placeholder="~/.local/share/opsmith/projects"
            parse={(text) => {
              const value = text.trim()
              return value === '' || value.startsWith('/')
                ? { value }
                : { problem: 'Write an absolute path: /path/to/operators' }
            }}
            onCommit={(projectsFolder) => void changeSettings({ projectsFolder })}
          />
          <CheckSetting
            id="settings-build-on-save"
            label="Build"
            words="on save, and when files change on disk"
            checked={settings.buildOnSave}
            onChange={(buildOnSave) => changeSettings({ buildOnSave })}
          />
          <CheckSetting
            id="settings-hot-compile"
            label="Hot compile"
            words="keep a compile server running, which makes builds faster (0.7 GB of memory); timings and exports do not use the compile server"
            checked={settings.hotCompile}
            onChange={(hotCompile) => changeSettings({ hotCompile })}
          />
          <CheckSetting
            id="settings-blame"
            label="Blame"
            words="show the last author of the cursor’s line at the end of the line (git blame)"
            checked={settings.blame}
            onChange={(blame) => changeSettings({ blame })}
          />
          <span>Memory now</span>
          <Memory />
          <label htmlFor="settings-optimization">Optimisation</label>
          <div className="form-row">
            <select
              id="settings-optimization"
              value={settings.optimization}
              data-testid="settings-optimization"
              onChange={(event) =>
                void changeSettings({
                  optimization: event.target.value as Settings['optimization'],
                })
              }
            >
              {levels.map((level) => (
                <option key={level} value={level}>
                  -{level}
                </option>
              ))}
            </select>
            <span className="muted">
              For realistic times, use the level that your users compile with. opsmith.json
              overrides this setting.
            </span>
          </div>
          {compilerFlags.map(({ name, testId, words }) => (
            <Fragment key={name}>
              <span />
              <label className="check">
                <input
                  type="checkbox"
                  checked={settings[name]}
                  data-testid={testId}
                  onChange={(event) => void changeSettings({ [name]: event.target.checked })}
                />
                {words}
              </label>
            </Fragment>
          ))}
          <CheckSetting
            id="settings-bench-on-build"
            label="Timings"
            words="measure again after each build, if the Timings panel is visible"
            checked={settings.timeOnBuild}
            onChange={(timeOnBuild) => changeSettings({ timeOnBuild })}
          />
          <NumberSetting
            id="settings-call-timeout"
            label="Time limit of a call"
            unit="s; then Opsmith stops the op host, the process that runs operators"
            value={settings.callTimeout}
            min={0.1}
            max={86_400}
            onChange={(callTimeout) => changeSettings({ callTimeout })}
          />
          <NumberSetting
            id="settings-memory-limit"
            label="Memory limit of an op host"
            unit="GiB; 0 means three quarters of the machine's memory"
            value={settings.memoryLimit / gibibyte}
            min={0}
            max={4_096}
            onChange={(size) => changeSettings({ memoryLimit: Math.round(size * gibibyte) })}
          />
          <SandboxSettings />
          <NumberSetting
            id="settings-keep-minutes"
            label="After a lost connection"
            unit="min until Opsmith stops on the other machine; 0: at once"
            value={settings.keepMinutes}
            min={0}
            max={1_440}
            onChange={(keepMinutes) => changeSettings({ keepMinutes })}
          />
          <CheckSetting
            id="settings-code-help"
            label="Code help"
            words="complete names, find definitions and mark mistakes as you type; clangd uses about 0.5 GB"
            checked={settings.codeHelp}
            onChange={(codeHelp) => changeSettings({ codeHelp })}
          />
          <label htmlFor="settings-clangd">clangd</label>
          <ClangdSetting />
          <span>Trusted folders</span>
          <TrustedFolders />
          <label htmlFor="settings-gpu">CUDA code runs on</label>
          <select
            id="settings-gpu"
            value={settings.gpu}
            data-testid="settings-gpu"
            onChange={(event) =>
              void chooseTools({ gpu: event.target.value as Settings['gpu'] }, 'user')
            }
          >
            {gpuChoices.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <VersionSetting />
          <span>Compiler, libtorch</span>
          <div>
            <Button icon="pulse" onClick={() => showPanel('doctor')}>
              Choose in Doctor
            </Button>{' '}
            <Button onClick={() => showPanel('setup')} testId="settings-setup">
              Set up another libtorch
            </Button>
          </div>
        </div>
      </div>
    </div>
  )
}

/** What the two large helpers hold; asked for while the panel is in front. */
function Memory(): ReactElement {
  const [bytes, setBytes] = useState<AppOutput<'app.memory'> | null>(null)
  const isShown = useLayout((state) => state.visible.has('settings') || state.page === 'settings')
  useEffect(() => {
    if (!isShown) return
    const ask = async (): Promise<void> => {
      const result = await call('app.memory', {})
      if (result.ok) setBytes(result.value)
    }
    void ask()
    const timer = setInterval(() => void ask(), memoryInterval)
    return () => clearInterval(timer)
  }, [isShown])
  const text = (held: number): string =>
    held === 0 ? 'not running' : `${(held / 1e6).toFixed(0)} MB`
  return (
    <span data-testid="settings-memory">
      {bytes && `compile server ${text(bytes.compileServer)}, clangd ${text(bytes.clangd)}`}{' '}
      <span className="muted">(both stop after 15 minutes without activity in the window)</span>
    </span>
  )
}

/** Counts when the field is left or Enter is pressed: half a path is not a program. */
function ClangdSetting(): ReactElement {
  const clangd = useSettings((settings) => settings.clangd)
  const [draft, setDraft] = useState<string | null>(null)
  const commit = (): void => {
    setDraft(null)
    const path = draft?.trim() ?? clangd
    if (path !== clangd) void changeSettings({ clangd: path }).then(() => runDoctor())
  }
  return (
    <input
      id="settings-clangd"
      type="text"
      value={draft ?? clangd}
      placeholder="the newest clangd on PATH; or write an absolute path"
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit()
      }}
    />
  )
}

type NumberSettingProps = {
  id: string
  label: string
  unit: string
  value: number
  min: number
  max: number
  onChange: (value: number) => Promise<boolean>
}

/** Counts when the field is left or Enter is pressed: half a number must not become a setting. */
function NumberSetting(props: NumberSettingProps): ReactElement {
  const { id, label, unit, value, min, max, onChange } = props
  const [draft, setDraft] = useState<string | null>(null)
  const number = Number(draft)
  const problem = draft !== null && !(draft.trim() !== '' && number >= min && number <= max)
  const commit = (): void => {
    setDraft(null)
    if (draft !== null && !problem && number !== value) void onChange(number)
  }
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <div className="form-row">
        <input
          id={id}
          className="mono short"
          inputMode="decimal"
          value={draft ?? String(Number(value.toFixed(3)))}
          aria-invalid={problem}
          data-testid={id}
          onChange={(event) => setDraft(event.target.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit()
            if (event.key === 'Escape') setDraft(null)
          }}
        />
        <span className="muted">{problem ? `${min} to ${max.toLocaleString('en')}` : unit}</span>
      </div>
    </>
  )
}
