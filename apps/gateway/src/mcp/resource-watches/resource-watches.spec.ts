import { eventually, modernRequest } from '@gw/testing';
import type { McpServerDocument } from '@gw/contracts';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer, serverDocument } from '../spec-support/mcp-server';
import { RawSession } from '../spec-support/raw-session';
import { EventReader } from '../spec-support/read-events';
import { startWatchedServer, type WatchedServer } from '../spec-support/watched-server';

const A = 'test://a';
const B = 'test://b';
const UPDATED = 'notifications/resources/updated';

describe('watched resources', () => {
  let gateway: GatewayHarness;
  let server: WatchedServer;
  let document: McpServerDocument;
  const streams: EventReader[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
  });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.leave();
    await server.close();
  });
  afterAll(() => gateway.stop());

  const origin = (): string => `http://127.0.0.1:${String(gateway.port)}`;
  async function served(...options: Parameters<typeof startWatchedServer>): Promise<void> {
    server = await startWatchedServer(...options);
    document = await serverDocument(server.url, 'tools');
    saveServer(gateway, document);
  }
  /** The stream of a client that watches resources. */
  async function watching(client: 'modern' | 'legacy', uris: readonly string[]): Promise<EventReader> {
    const stream = await (client === 'modern' ? listening(uris) : subscribing(uris));
    streams.push(stream);
    return stream;
  }
  function listening(uris: readonly string[]): Promise<EventReader> {
    const wanted: object = { notifications: { resourceSubscriptions: uris } };
    const request = modernRequest(gateway.apiKey, 'subscriptions/listen', wanted);
    return EventReader.open(`${origin()}/main/tools/mcp`, request);
  }
  async function subscribing(uris: readonly string[]): Promise<EventReader> {
    const session = await RawSession.open(origin(), gateway.apiKey);
    const stream = await session.get(origin());
    for (const uri of uris) await session.request(origin(), 'resources/subscribe', { uri });
    return stream;
  }
  const updatesOf = ({ messages }: EventReader, uri: string): number =>
    messages.filter(
      ({ method, params }) => method === UPDATED && (params as { uri?: string } | undefined)?.uri === uri,
    ).length;
  const watched = (uri: string, times: number): Promise<unknown> =>
    eventually(() => server.subscribed.filter((each) => each === uri).length >= times);

  describe.each(['modern', 'legacy'] as const)('at a %s server', (era) => {
    it.each(['modern', 'legacy'] as const)(
      'of a %s client are watched again after a restart of the server, and updates that were missed are notified',
      async (client) => {
        await served(era);
        const stream = await watching(client, [A, B]);
        await watched(B, 1);
        await eventually(() => {
          server.update(A);
          return updatesOf(stream, A) > 0;
        });
        expect(updatesOf(stream, B)).toBe(0);
        server.restart();
        await eventually(() => updatesOf(stream, B) > 0);
        await watched(B, 2);
        const before = updatesOf(stream, A);
        await eventually(() => {
          server.update(A);
          return updatesOf(stream, A) > before;
        });
      },
    );

    it('are watched at the new address of their server, and not at the old one', async () => {
      await served(era);
      const stream = await watching('modern', [A]);
      await watched(A, 1);
      const old = server;
      server = await startWatchedServer(era);
      saveServer(gateway, { ...document, url: server.url.href });
      await eventually(() => {
        server.update(A);
        return updatesOf(stream, A) > 0;
      });
      old.update(A, { title: 'of the old one' });
      server.update(A, { title: 'of the new one' });
      await stream.until('of the new one');
      expect(stream.text).not.toContain('of the old one');
      await old.close();
    });

    it('are no longer notified to a caller who lost access', async () => {
      await served(era);
      const stream = await watching('modern', [A, B]);
      await watched(B, 1);
      const capabilities = document.capabilities.filter(({ name }) => name !== A);
      saveServer(gateway, { ...document, capabilities });
      await eventually(() => {
        server.update(B);
        return updatesOf(stream, B) > 0;
      });
      server.update(A);
      const before = updatesOf(stream, B);
      await eventually(() => {
        server.update(B);
        return updatesOf(stream, B) > before;
      });
      expect(updatesOf(stream, A)).toBe(0);
    });
  });

  it('do not prevent others from being watched if a server refuses them', async () => {
    await served('legacy', { refused: [A] });
    const stream = await watching('legacy', [A, B]);
    await eventually(() => {
      server.update(B);
      return updatesOf(stream, B) > 0;
    });
  });

  it('are not notified repeatedly if their server has no stream', async () => {
    await served('legacy', { hasStream: false });
    const stream = await watching('legacy', [A]);
    await watched(A, 3);
    expect(updatesOf(stream, A)).toBe(0);
  });

  it('are notified with only their URI if the update is long', async () => {
    await served('modern');
    const stream = await watching('modern', [A]);
    await watched(A, 1);
    await eventually(() => {
      server.update(A, { title: 'x'.repeat(100_000) });
      return updatesOf(stream, A) > 0;
    });
    expect(stream.text.length).toBeLessThan(10_000);
  });
});
