import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan } from '../../../app';
import { ResourceHistory } from '../../audit/resource-history';
import type { Provider } from '../provider-types';

/** Audit history of a provider and of the integration that holds its credential. */
export function ProviderHistory({ provider }: { readonly provider: Provider }): ReactElement {
  const can = useCan('integrations_get');
  const path = { integration: provider.integration_id };
  const { data } = useRead('integrations_get', { path }, { enabled: can });
  return (
    <div className="fields-stack">
      <ResourceHistory type="providers" id={provider.id} />
      {data !== undefined && <ResourceHistory type="integrations" id={data.id} name={data.name} />}
    </div>
  );
}
