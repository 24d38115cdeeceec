import { call } from '../../api';
import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

const FOUND_MAX = 10;

export const keysEntry: PageEntry = {
  id: 'keys',
  group: 'control',
  label: pageNames.keys,
  to: '/w/$ws/keys',
  icon: 'key',
  operation: 'apiKeys_list',
  chord: 'K',
  create: { label: pageNames.key, to: '/w/$ws/keys/new', operation: 'apiKeys_create', chord: 'K' },
  things: {
    operation: 'apiKeys_list',
    find: async (search, workspaceId, signal) => {
      const query = { search, workspace_id: workspaceId, page_size: FOUND_MAX };
      const { data } = await call('apiKeys_list', { query }, { signal });
      return data.data.map(({ id, name, key }) => ({
        id,
        name,
        hint: key,
        to: `/w/$ws/keys/${id}`,
        logs: `key:${id}`,
      }));
    },
  },
};
