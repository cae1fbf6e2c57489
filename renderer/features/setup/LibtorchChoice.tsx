import type { ReactElement } from 'react'

import type { SetupLibtorch, SetupPlan } from '../../../electron/contract/setup'
import { Button } from '../../shell/primitives/Button'
import { chooseFolder, setupStore, type SetupWish } from './setup-job'

type Props = { plan: SetupPlan; wish: SetupWish | undefined; disabled: boolean }

/** Each libtorch of the machine, one that the user names, or one to install. */
export function LibtorchChoice({ plan, wish, disabled }: Props): ReactElement {
  const { install, libtorchs } = plan
  const chosen = wish?.libtorch ?? ''
  const isOther = chosen !== '' && !libtorchs.some(({ folder }) => folder === chosen)
  const options = [
    ...libtorchs.map(optionOf),
    ...(isOther ? [{ value: chosen, title: 'The folder that you chose', note: chosen }] : []),
    {
      value: 'cpu',
      title: `Install torch ${install.version} for the CPU`,
      note: `200 MB to download, to ${install.folder}`,
    },
    ...(install.cuda === null
      ? []
      : [
          {
            value: 'cuda',
            title: `Install torch ${install.version} for CUDA ${install.cuda.cuda} (${install.cuda.gpus})`,
            note: `3 GB to download, to ${install.folder}`,
          },
        ]),
  ]
  const value = wish === undefined ? null : wish.installs === '' ? wish.libtorch : wish.installs
  return (
    <fieldset className="setup-choice" disabled={disabled}>
      <legend>libtorch</legend>
      {libtorchs.length === 0 && (
        <p data-testid="setup-none">
          Opsmith found no libtorch. It searched the Pythons on PATH, conda and venv environments,
          $LIBTORCH and unpacked folders.
        </p>
      )}
      {options.map((option) => (
        <Option key={option.value} {...option} checked={option.value === value} />
      ))}
      <div>
        <Button
          icon="folder"
          disabled={disabled}
          onClick={() => void chooseFolder()}
          testId="setup-choose-folder"
        >
          Another folder …
        </Button>
      </div>
    </fieldset>
  )
}

type OptionProps = { value: string; title: string; note: string; disabled?: boolean }

function optionOf(libtorch: SetupLibtorch): OptionProps {
  const { folder, version, origin, isUsable, why, hasAddon, isChosen } = libtorch
  const words = [
    isChosen && hasAddon ? 'in use' : '',
    hasAddon && !isChosen ? 'its native addon is compiled' : '',
    why,
    folder,
  ].filter((word) => word !== '')
  return {
    value: folder,
    title: `libtorch ${version}, ${origin}`,
    note: words.join('; '),
    disabled: !isUsable,
  }
}

function Option({
  value,
  title,
  note,
  disabled = false,
  checked,
}: OptionProps & { checked: boolean }): ReactElement {
  return (
    <label className="check setup-option" data-testid="setup-libtorch" data-value={value}>
      <input
        type="radio"
        name="setup-libtorch"
        checked={checked}
        disabled={disabled}
        onChange={() => setupStore.setState({ choice: value })}
      />
      <span>
        {title}
        <span className="muted setup-note selectable">{note}</span>
      </span>
    </label>
  )
}
