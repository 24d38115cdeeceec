import type { PageEntry } from '../../app/page-entry';
import { logs } from '../../messages';

export const logsEntry: PageEntry = {
  id: 'logs',
  group: 'observe',
  label: logs.title,
  to: '/w/$ws/logs',
  icon: 'list',
  operation: 'logs_list',
  chord: 'L',
};
