import type { PageEntry } from '../../app/page-entry';
import { home } from '../../messages';

export const homeEntry: PageEntry = {
  id: 'home',
  group: 'top',
  label: home.title,
  to: '/w/$ws',
  icon: 'home',
  chord: 'H',
};
