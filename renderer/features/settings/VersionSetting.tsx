import { useEffect, useState, type ReactElement } from 'react'

import { call } from '../../bridge/bridge'
import { changeSettings, useSettings } from '../../store/settings'
import { CheckSetting } from './CheckSetting'

/** Says exactly what goes over the network. */
const words = (address: string): string =>
  address === ''
    ? 'this build of Opsmith contains no address for version checks, so Opsmith sends no request; to check for newer versions, set “versionAddress” in the settings file'
    : `at most once a day, Opsmith requests ${address} (GET, with User-Agent “opsmith”). The request contains no version and no data about you or this machine. Opsmith compares the version in the answer with its own version, and downloads nothing else`

export function VersionSetting(): ReactElement {
  const isOn = useSettings((settings) => settings.checkVersion)
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    void call('version.address', {}).then((result) => {
      if (result.ok) setAddress(result.value.address)
    })
  }, [])
  return (
    <CheckSetting
      id="settings-check-version"
      label="Newer version"
      words={address === null ? '' : words(address)}
      checked={isOn && address !== ''}
      disabled={address === null || address === ''}
      onChange={(checkVersion) => changeSettings({ checkVersion })}
    />
  )
}
