import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { Can, useCan, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Note } from '../../../ui/primitives';
import { Loaded, Page, Skeletons } from '../../../ui/states';
import { RemoveDialog } from '../../fields/remove-dialog';
import { ProviderStatus } from '../provider-columns';
import { VirtualKeyView } from './view';
import type { VirtualKey } from './virtual-key';

interface VirtualKeyPageProps {
  readonly slug: string;
  /** The read that found no provider of this slug: its problem is shown when there is no virtual key either. */
  readonly provider: { readonly error: unknown; readonly refetch: () => unknown };
}

/** One virtual key. */
export function VirtualKeyPage({ slug, provider }: VirtualKeyPageProps): ReactElement {
  const workspace = useWorkspace();
  const can = useCan('virtualKeys_get');
  const params = { path: { virtualKey: slug }, query: { workspace_id: workspace.id } };
  const read = useRead('virtualKeys_get', params, { enabled: can });
  const [isRemoving, setRemoving] = useState(false);
  const { data } = read;
  const query = can ? read : { ...read, error: problemFrom(provider.error), refetch: provider.refetch };
  return (
    <Page
      title={data?.name ?? providers.title}
      badge={data === undefined ? null : <ProviderStatus status={data.status} />}
      actions={
        data === undefined || data.status === 'archived' ? undefined : (
          <Can operation="virtualKeys_remove">
            <Button leftSection={<Icon name="trash" size={14} />} onClick={() => setRemoving(true)}>
              {providers.remove}
            </Button>
          </Can>
        )
      }
    >
      <Loaded query={query} problemOf={problemFrom} skeleton={<Skeletons shape="form" />}>
        {(shown) => (
          <>
            <VirtualKeyView virtualKey={shown} />
            <Remove virtualKey={shown} isOpen={isRemoving} onClose={() => setRemoving(false)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface RemoveProps {
  readonly virtualKey: VirtualKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function Remove({ virtualKey, isOpen, onClose }: RemoveProps): ReactElement {
  const { slug, name, used_by } = virtualKey;
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await call('virtualKeys_remove', { path: { virtualKey: slug }, query: { workspace_id: workspace.id } });
    await queries.invalidateQueries({ queryKey: ['virtualKeys_list'] });
    onClose();
    await navigate({ to: '/w/$ws/providers', params: { ws: workspace.slug }, replace: true });
  };
  const isUsed = used_by !== undefined && used_by.configs + used_by.api_keys > 0;
  return (
    <RemoveDialog
      isOpen={isOpen}
      onClose={onClose}
      title={providers.removeTitle(name)}
      action={providers.remove}
      name={name}
      nameLabel={providers.removeName(name)}
      onRemove={remove}
    >
      <p>{providers.removeVirtualKey}</p>
      {isUsed && <Note tone="warn">{providers.removeUses(used_by.configs, used_by.api_keys)}</Note>}
    </RemoveDialog>
  );
}
