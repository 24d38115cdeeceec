import { Button, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import { Can, useBootstrap } from '../../../app';
import { keys } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Loaded, Page, Skeletons } from '../../../ui/states';
import { usePageSearch } from '../../list/use-page-search';
import { KeyStatus } from '../key-columns';
import type { ApiKey } from '../key-types';
import { DETAIL_RULES } from '../rules';
import { TABS } from '../steps';
import { KeyAccess } from './access';
import { RemoveKey } from './remove';
import { RotateKey } from './rotate';
import { KeyUsePane } from './use';
import './detail.css';

/** Lazy: loaded when their tabs are opened. */
const KeyEdit = lazy(async () => ({ default: (await import('./edit')).KeyEdit }));

const ResourceHistory = lazy(async () => ({
  default: (await import('../../audit/resource-history')).ResourceHistory,
}));

const route = getRouteApi('/session/w/$ws/keys/$key');

/** Page of one API key: use, settings, access and history, with rotation and deletion. */
export function KeyPage(): ReactElement {
  const { key: id } = route.useParams();
  // Dialogs, and a secret that one of them shows, belong to one key.
  return <OneKey key={id} id={id} />;
}

function OneKey({ id }: { readonly id: string }): ReactElement {
  const key = useRead('apiKeys_get', { path: { id } });
  const [dialog, setDialog] = useState<'rotate' | 'remove' | null>(null);
  const { data } = key;
  return (
    <Page
      title={data?.name ?? keys.one}
      badge={data === undefined ? null : <KeyStatus status={data.status} />}
      actions={
        data === undefined || data.status === 'archived' ? undefined : (
          <>
            <Can operation="apiKeys_remove">
              <Button leftSection={<Icon name="trash" size={14} />} onClick={() => setDialog('remove')}>
                {keys.remove}
              </Button>
            </Can>
            <Can operation="apiKeys_rotate">
              <Button leftSection={<Icon name="refresh" size={14} />} onClick={() => setDialog('rotate')}>
                {keys.rotate}
              </Button>
            </Can>
          </>
        )
      }
    >
      <Loaded query={key} problemOf={problemFrom} skeleton={<Skeletons shape="form" />}>
        {(shown) => (
          <>
            <KeyTabs apiKey={shown} />
            <RotateKey apiKey={shown} isOpen={dialog === 'rotate'} onClose={() => setDialog(null)} />
            <RemoveKey apiKey={shown} isOpen={dialog === 'remove'} onClose={() => setDialog(null)} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function KeyTabs({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { state, change } = usePageSearch(DETAIL_RULES);
  const hasHistory = useBootstrap().features?.['audit_logs'] === true;
  return (
    <Tabs value={state.tab} onChange={(tab) => change({ tab: tab ?? TABS[0] })}>
      <Tabs.List aria-label={keys.tabsLabel}>
        {TABS.filter((tab) => tab !== 'history' || hasHistory).map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {keys.tabs[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="use" className="tab-panel">
        <KeyUsePane apiKey={apiKey} />
      </Tabs.Panel>
      <Tabs.Panel value="edit" className="tab-panel">
        <Suspense fallback={<Skeletons shape="form" />}>
          <KeyEdit apiKey={apiKey} key={apiKey.id} />
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="access" className="tab-panel">
        <KeyAccess apiKey={apiKey} />
      </Tabs.Panel>
      {hasHistory && (
        <Tabs.Panel value="history" className="tab-panel">
          <Suspense fallback={<Skeletons shape="lines" />}>
            <ResourceHistory type="api_keys" id={apiKey.id} />
          </Suspense>
        </Tabs.Panel>
      )}
    </Tabs>
  );
}
