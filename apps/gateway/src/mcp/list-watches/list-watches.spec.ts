import { eventually, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { startListReader, type ListReader } from '../spec-support/list-reader';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { EventReader } from '../spec-support/read-events';
import type { McpServerDocument } from '@gw/contracts';
import type { Endpoint } from '../endpoint';
import type { McpReply } from '../mcp-reply';
import type { McpUpstreams } from '../upstreams';
import { ChangedLists } from './changed-lists';
import { ListWatches } from './list-watches';

const WANTED: object = { notifications: { toolsListChanged: true } };
const ECHO = { name: 'echo', arguments: { text: 'a' } };

describe('servers that announce changed lists', () => {
  let gateway: GatewayHarness;
  let reader: ListReader;
  let fixture: McpFixture;
  beforeAll(async () => {
    reader = await startListReader();
    gateway = await GatewayHarness.start({ ADMIN_URL: reader.url });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
  });
  afterEach(() => fixture.close());
  afterAll(async () => {
    await gateway.stop();
    await reader.close();
  });

  async function served(era: 'modern' | 'legacy'): Promise<string> {
    fixture = await startMcpFixture({ era });
    const server = await serverDocument(fixture.url, era);
    saveServer(gateway, server);
    reader.reads(server.integrationId, async () => {
      const { capabilities } = await serverDocument(fixture.url, era);
      saveServer(gateway, { ...server, capabilities });
    });
    return server.integrationId;
  }
  const listen = (slug: string): Promise<EventReader> =>
    EventReader.open(
      `http://127.0.0.1:${String(gateway.port)}/main/${slug}/mcp`,
      modernRequest(gateway.apiKey, 'subscriptions/listen', WANTED),
    );
  const asked = (integrationId: string): number => reader.asked.filter((id) => id === integrationId).length;

  it.each(['modern', 'legacy'] as const)(
    'are read again by the control plane, and clients of a %s server are notified of what it shows',
    async (era) => {
      const id = await served(era);
      const [first, second] = await Promise.all([listen(era), listen(era)]);
      const isWatched = (): boolean =>
        era === 'modern'
          ? fixture.requests.some(({ headers }) => headers['mcp-method'] === 'subscriptions/listen')
          : fixture.requests.some(({ verb }) => verb === 'GET');
      await eventually(isWatched);
      await eventually(() => {
        if (asked(id) === 0) fixture.changeTool('echo', { description: 'Returns it.' });
        return asked(id) > 0;
      });
      for (const stream of [first, second]) await stream.until('notifications/tools/list_changed');
      // Both streams share one watch.
      const watches = fixture.requests.filter(
        ({ verb, headers }) => verb === 'GET' || headers['mcp-method'] === 'subscriptions/listen',
      );
      expect(watches).toHaveLength(1);
      first.leave();
      second.leave();
    },
  );

  it('are watched at their new address once it has changed, for the streams that are open', async () => {
    fixture = await startMcpFixture({ era: 'modern' });
    const server = await serverDocument(fixture.url, 'modern');
    saveServer(gateway, server);
    const { integrationId: id } = server;
    reader.reads(id, () => Promise.resolve());
    const stream = await listen('modern');
    const listens = ({ requests }: McpFixture): boolean =>
      requests.some(({ headers }) => headers['mcp-method'] === 'subscriptions/listen');
    await eventually(() => listens(fixture));
    const moved = await startMcpFixture({ era: 'modern' });
    saveServer(gateway, { ...server, version: 'moved', url: moved.url.href });
    await eventually(() => listens(moved));
    await eventually(() => {
      if (asked(id) === 0) moved.changeTool('echo', { description: 'Returns it.' });
      return asked(id) > 0;
    });
    stream.leave();
    await moved.close();
  });

  it('are not watched while no client has a stream', async () => {
    await served('modern');
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/modern/mcp`,
      modernRequest(gateway.apiKey, 'tools/call', ECHO),
    );
    expect(await response.text()).toContain('"text":"a"');
    expect(fixture.requests.some(({ headers }) => headers['mcp-method'] === 'subscriptions/listen')).toBe(
      false,
    );
  });

  it('do not prevent a stream from opening when they cannot be reached', async () => {
    await served('modern');
    await fixture.close();
    const stream = await listen('modern');
    await stream.until('notifications/subscriptions/acknowledged');
    stream.leave();
    fixture = await startMcpFixture();
  });
});

describe('workspace with the maximum number of watched servers', () => {
  it('watches the next server as soon as a place is free', async () => {
    const listened: string[] = [];
    const upstreams = {
      of: ({ id }: McpServerDocument) => ({
        describe: () => Promise.resolve({ era: 'modern' }),
        async *listen(_filter: object, { signal }: { signal: AbortSignal }) {
          listened.push(id);
          yield { method: 'notifications/subscriptions/acknowledged', params: {} };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      }),
    } as unknown as McpUpstreams;
    // Two places, of which one workspace gets one.
    const watches = new ListWatches(upstreams, new ChangedLists(() => Promise.resolve({}), nothing), 2);
    const streamOf = async (id: string) => {
      const document = { id, workspaceId: 'w', organisationId: 'o', authType: 'none', configurations: {} };
      const endpoint = { servers: [{ id, document, caller: {} }] } as unknown as Endpoint;
      const over: (() => void)[] = [];
      const reply = { hasEnded: false, onceEnded: (callback: () => void) => over.push(callback) };
      await watches.watchDuring(endpoint, reply as unknown as McpReply, () => endpoint);
      return () => over.forEach((each) => each());
    };
    jest.useFakeTimers();
    try {
      const first = streamOf('a');
      await jest.advanceTimersByTimeAsync(1_000);
      const leave = await first;
      const second = await streamOf('b');
      await jest.advanceTimersByTimeAsync(5_000);
      expect(listened).toEqual(['a']);
      leave();
      await jest.advanceTimersByTimeAsync(40_000);
      expect(listened).toEqual(['a', 'b']);
      second();
      watches.close();
    } finally {
      jest.useRealTimers();
    }
  });
});

const nothing = (): void => undefined;

describe('ChangedLists', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('has a server read five times in a row, once a minute from then on, and does not lose the last change', async () => {
    const asked: object[] = [];
    const lists = new ChangedLists((_path, body) => {
      asked.push(body);
      return Promise.resolve({});
    }, nothing);
    for (let count = 0; count < 20; count += 1) {
      lists.changed('a');
      await jest.advanceTimersByTimeAsync(10);
    }
    expect(asked).toHaveLength(5);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveLength(6);
    await jest.advanceTimersByTimeAsync(600_000);
    expect(asked).toHaveLength(6);
    lists.changed('b');
    expect(asked).toHaveLength(7);
    lists.close();
  });

  it('has a server read once more for changes during a read, also after a failed read', async () => {
    const ends: (() => void)[] = [];
    const lists = new ChangedLists(
      () => new Promise((_resolve, reject) => ends.push(() => reject(new Error('away')))),
      nothing,
    );
    for (let count = 0; count < 5; count += 1) lists.changed('a');
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await jest.advanceTimersByTimeAsync(0);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(ends).toHaveLength(2);
    lists.close();
  });
});
