import { defineFeature } from '../../store/feature'
import { profileCommands } from './commands'
import { profileJob } from './profile-job'
import { forgetProfile, refreshProfile } from './profile-run'
import { ProfilePanel } from './ProfilePanel'
import './styles.css'

export const feature = defineFeature({
  id: 'profile',
  title: 'Profile',
  panel: {
    Panel: ProfilePanel,
    icon: 'M1.8 3.2h12.4M1.8 6.4h7M10.4 6.4h3.8M1.8 9.6h3M6.4 9.6h4.2M3.4 12.8h5.4',
    tasks: { measure: 'below' },
    help: {
      about: [
        'Runs one call under libtorch’s profiler: a timeline, a flame graph, a table of operators and lines, and the memory it takes.',
      ],
      keys: [
        ['Arrows', 'walk from call to call; with Shift they move the picture'],
        ['+ and -', 'zoom'],
        ['F', 'zooms to the selected call'],
        ['0', 'shows all'],
        ['Enter', 'opens the line of the selected call'],
        ['Escape', 'selects nothing'],
      ],
    },
    area: 'right',
    order: 70,
  },
  commands: profileCommands(),
  jobs: [profileJob],
  refresh: { order: 80, run: refreshProfile },
  forget: forgetProfile,
})
