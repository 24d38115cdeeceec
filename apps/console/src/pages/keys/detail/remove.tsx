import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { call, useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { count } from '../../../ui/format';
import { RemoveDialog } from '../../fields/remove-dialog';
import { lastDays } from '../../list/last-days';
import type { ApiKey } from '../key-types';

/** Maximum number of users that the dialog names. */
const USERS_MAX = 3;

interface RemoveKeyProps {
  readonly apiKey: ApiKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/**
 * Dialog that deletes a key. The user must type its name unless the key is known to be unused in
 * the last day.
 */
export function RemoveKey({ apiKey, isOpen, onClose }: RemoveKeyProps): ReactElement {
  const { id, name } = apiKey;
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const can = useCan('analyticsGroups_by');
  const query = {
    ...lastDays(1),
    workspace_id: apiKey.workspace_id ?? workspace.id,
    api_key_ids: [id],
  };
  const options = { enabled: can && isOpen };
  const groups = { path: { groupBy: 'api_key' }, query: { ...query, columns: ['requests' as const] } };
  const { data } = useRead('analyticsGroups_by', groups, options);
  const users = useRead('analyticsGroups_users', { query: { ...query, page_size: USERS_MAX } }, options);
  const names = (users.data?.data ?? []).flatMap(({ user }) => user ?? []);
  const requests = data === undefined ? null : (data.data[0]?.requests ?? 0);
  const remove = async (): Promise<void> => {
    await call('apiKeys_remove', { path: { id } });
    await queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    onClose();
    await navigate({ to: '/w/$ws/keys', params: { ws: workspace.slug }, replace: true });
  };
  return (
    <RemoveDialog
      isOpen={isOpen}
      onClose={onClose}
      title={keys.removeTitle(name)}
      action={keys.remove}
      name={requests === 0 ? null : name}
      nameLabel={keys.removeName(name)}
      onRemove={remove}
    >
      <p>{keys.removeLead}</p>
      {requests === null ? null : (
        <p className="sub">{requests === 0 ? keys.removeUnused : keys.removeUsed(count(requests))}</p>
      )}
      {names.length > 0 && (
        <p className="sub private">{keys.removeUsers(names, (users.data?.total ?? 0) - names.length)}</p>
      )}
    </RemoveDialog>
  );
}
