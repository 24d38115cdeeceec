import { useState, type ReactElement } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Loaded, Skeletons } from '../../../ui/states';
import { RemoveProvider } from '../detail/remove';
import { ProviderFrame } from '../parts/provider-frame';
import { VirtualKeyView } from './view';

interface VirtualKeyPageProps {
  readonly slug: string;
  /**
   * The read that found no provider of this slug. Its error is shown when there is no virtual key
   * either.
   */
  readonly provider: { readonly error: unknown; readonly refetch: () => unknown };
}

/** Page of one virtual key. */
export function VirtualKeyPage({ slug, provider }: VirtualKeyPageProps): ReactElement {
  const workspace = useWorkspace();
  const can = useCan('virtualKeys_get');
  const params = { path: { virtualKey: slug }, query: { workspace_id: workspace.id } };
  const read = useRead('virtualKeys_get', params, { enabled: can });
  const [isRemoving, setRemoving] = useState(false);
  const { data } = read;
  const query = can ? read : { ...read, error: problemFrom(provider.error), refetch: provider.refetch };
  return (
    <ProviderFrame shown={data} removal="virtualKeys_remove" onRemove={() => setRemoving(true)}>
      <Loaded query={query} problemOf={problemFrom} skeleton={<Skeletons shape="form" />}>
        {(shown) => (
          <>
            <VirtualKeyView key={shown.id} virtualKey={shown} />
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
    </ProviderFrame>
  );
}
