import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const homeEntry: PageEntry = {
  id: 'home',
  group: 'top',
  label: pageNames.home,
  to: '/w/$ws',
  icon: 'home',
  chord: 'H',
};
