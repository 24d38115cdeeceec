import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { Can, useCan, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Loaded, Page, Skeletons } from '../../../ui/states';
import { ProviderStatus } from '../provider-columns';
import { RemoveProvider } from '../detail/remove';
import { VirtualKeyView } from './view';

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
            <RemoveProvider
              provider={shown}
              lead={providers.removeVirtualKey}
              list="virtualKeys_list"
              onRemove={() => call('virtualKeys_remove', params)}
              isOpen={isRemoving}
              onClose={() => setRemoving(false)}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}
