import { defineFeature } from '../../store/feature'
import { showPanel } from '../../store/layout'
import { SetupPage } from './SetupPage'
import { SetupPanel } from './SetupPanel'
import './styles.css'

export const feature = defineFeature({
  id: 'setup',
  title: 'Set-up',
  panel: {
    Panel: SetupPanel,
    icon: 'M2.5 13.5 9 7M6.8 4.2a3.6 3.6 0 0 1 5-1.8L9.6 4.6l1.8 1.8 2.2-2.2a3.6 3.6 0 0 1-4.8 4.6',
    help: {
      about: [
        'Finds libtorch on this machine, compiles the native addon for the libtorch that you choose, and precompiles headers. Set-up can also install torch.',
        'Set-up runs while you work. If you stop set-up and start it again, it continues at the same step.',
      ],
    },
    Page: SetupPage,
    area: 'middle',
    order: 15,
    menu: 'tools',
  },
  commands: [
    {
      id: 'setup.show',
      title: 'Set up another libtorch',
      group: 'Tools',
      run: () => showPanel('setup'),
    },
  ],
})
