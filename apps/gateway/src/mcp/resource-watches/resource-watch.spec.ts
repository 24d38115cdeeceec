import type { McpServerDocument } from '@gw/contracts';
import { createAddressPolicy, Shares } from '@gw/kernel';
import { NO_CAPABILITIES } from '@gw/mcp';
import { EraVerdicts, McpUpstream } from '@gw/mcp-client';
import { OutboundClient } from '@gw/outbound';
import { eventually } from '@gw/testing';
import type { ServerView } from '../server-view';
import { startWatchedServer } from '../spec-support/watched-server';
import { ResourceWatch } from './resource-watch';

const A = 'test://a';

describe('ResourceWatch', () => {
  it.each([
    ['the server refuses the subscription', () => undefined],
    ['the client leaves during the subscription', (left: AbortController) => left.abort()],
  ])('stops to listen and returns its memory when an update came and %s', async (_case, then) => {
    const left = new AbortController();
    let subscriptions = 0;
    const onSubscribe = (): void => {
      subscriptions += 1;
      then(left);
    };
    const server = await startWatchedServer('legacy', { refused: [A], onSubscribe });
    const memory = new Shares(1_000_000).of('workspace-1', 'org-1');
    const policy = createAddressPolicy({ trustedHosts: ['127.0.0.1'] });
    const client = new OutboundClient({
      ...{ policy, maxConnectionsPerOrigin: 8, maxPools: 8, keepAliveTimeoutMs: 10_000 },
    });
    const upstream = new McpUpstream({
      ...{ client, policy, url: server.url, poolClass: 'test', headers: () => ({}), memory },
      ...{ capabilities: NO_CAPABILITIES, clientInfo: {}, verdicts: new EraVerdicts() },
      ...{ protocol: 'legacy', eraKey: 'test' },
    });
    const view = { document: {} as McpServerDocument, caller: {} } as ServerView;
    const watched = { session: null, view: () => view, uris: () => [A], updated: () => undefined };
    const share = new Shares(1).of('workspace-1', 'org-1');
    const watch = new ResourceWatch({ of: () => upstream }, watched, () => share, left.signal);
    const run = watch.run();
    try {
      // A connection that has ended holds nothing, whatever the server still sends.
      await eventually(() => subscriptions > 0 && upstream.listeners === 0);
      server.update(A, { title: 'x'.repeat(10_000) });
      left.abort();
      await run;
      expect([memory.held, share.held]).toEqual([0, 0]);
    } finally {
      left.abort();
      client.close();
      await server.close();
    }
  });
});
