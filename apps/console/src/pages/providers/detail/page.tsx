import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { call, problemFrom, useRead } from '../../../api';
import { useBootstrap, useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Gone, Loaded, Skeletons } from '../../../ui/states';
import { usePageSearch } from '../../list/use-page-search';
import { ProviderFrame } from '../parts/provider-frame';
import type { Provider } from '../provider-types';
import { DETAIL_RULES, TABS } from '../rules';
import { RemoveProvider } from './remove';

/** Lazy: loaded when they are shown. */
const CredentialTab = lazy(async () => ({ default: (await import('./credential')).CredentialTab }));
const ProviderModels = lazy(async () => ({ default: (await import('./models')).ProviderModels }));
const ProviderSettings = lazy(async () => ({ default: (await import('./settings')).ProviderSettings }));

const ProviderUse = lazy(async () => ({ default: (await import('./use')).ProviderUse }));
const ProviderHistory = lazy(async () => ({ default: (await import('./history')).ProviderHistory }));
const VirtualKeyPage = lazy(async () => ({ default: (await import('../virtual-keys/page')).VirtualKeyPage }));

const route = getRouteApi('/session/w/$ws/providers/$provider');

/** Page of one provider: settings with limits, credential, models, use and history. */
export function ProviderPage(): ReactElement {
  const workspace = useWorkspace();
  const { provider: slug } = route.useParams();
  const params = { path: { provider: slug }, query: { workspace_id: workspace.id } };
  const provider = useRead('providers_get', params);
  const [isRemoving, setRemoving] = useState(false);
  const { data } = provider;
  // Providers and virtual keys share one namespace of slugs, so the slug may be that of a virtual
  // key.
  if (provider.error?.status === 404)
    return (
      <Suspense fallback={<Skeletons shape="form" />}>
        <VirtualKeyPage slug={slug} provider={provider} />
      </Suspense>
    );
  return (
    <ProviderFrame shown={data} removal="providers_remove" onRemove={() => setRemoving(true)}>
      <Loaded query={provider} problemOf={problemFrom} skeleton={<Skeletons shape="form" />}>
        {(shown) =>
          shown.status === 'archived' ? (
            <Gone archived>
              <ProviderTabs key={shown.id} provider={shown} />
            </Gone>
          ) : (
            <>
              <ProviderTabs key={shown.id} provider={shown} />
              <RemoveProvider
                provider={shown}
                lead={providers.removeLead}
                list="providers_list"
                onRemove={() => call('providers_remove', params)}
                isOpen={isRemoving}
                onClose={() => setRemoving(false)}
              />
            </>
          )
        }
      </Loaded>
    </ProviderFrame>
  );
}

/** Tabs of one provider. Its key drops the forms of another provider, whose page was open before. */
function ProviderTabs({ provider }: { readonly provider: Provider }): ReactElement {
  const { state, change } = usePageSearch(DETAIL_RULES);
  const hasHistory = useBootstrap().features?.['audit_logs'] === true;
  return (
    <Tabs value={state.tab} onChange={(tab) => change({ tab: tab ?? TABS[0] })}>
      <Tabs.List aria-label={providers.tabsLabel}>
        {TABS.filter((tab) => tab !== 'history' || hasHistory).map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {providers.tabs[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="settings" className="tab-panel">
        <Suspense fallback={<Skeletons shape="form" />}>
          <ProviderSettings provider={provider} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="credential" className="tab-panel">
        <Suspense fallback={<Skeletons shape="form" />}>
          <CredentialTab integration={provider.integration_id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="models" className="tab-panel">
        <Suspense fallback={<Skeletons shape="form" />}>
          <ProviderModels slug={provider.slug} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="use" className="tab-panel">
        <Suspense fallback={<Skeletons shape="form" />}>
          <ProviderUse slug={provider.slug} />
        </Suspense>
      </Tabs.Panel>
      {hasHistory && (
        <Tabs.Panel value="history" className="tab-panel">
          <Suspense fallback={<Skeletons shape="lines" />}>
            <ProviderHistory provider={provider} />
          </Suspense>
        </Tabs.Panel>
      )}
    </Tabs>
  );
}
