import { eventually } from '@gw/testing';
import { WebSocket, type RawData } from 'ws';
import { documentKey } from '@gw/contracts';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';
import { SocketProvider } from './spec-support/socket-provider';

interface Open {
  readonly client: WebSocket;
  /** Returns the types of the errors in its messages. */
  readonly errors: string[];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

describe('open session', () => {
  let gateway: GatewayHarness;
  let provider: SocketProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    provider = await SocketProvider.start();
    gateway.addProvider('main', 'openai', provider.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await provider.stop();
  });

  const newKey = (over: Parameters<GatewayHarness['addKey']>[1] = {}): string => {
    keys += 1;
    const key = `sessionKey${String(keys).padStart(22, '0')}`;
    gateway.addKey(key, over);
    return key;
  };
  const openWith = async (apiKey: string, slug = 'main'): Promise<Open> => {
    const url = `${gateway.baseUrl.replace('http', 'ws')}/realtime?model=gpt-realtime`;
    const client = new WebSocket(url, { headers: { 'x-gw-api-key': apiKey, 'x-gw-provider': `@${slug}` } });
    const errors: string[] = [];
    client.on('message', (data: RawData) => {
      const { error } = JSON.parse((data as Buffer).toString()) as { error?: { code?: string } };
      errors.push(String(error?.code));
    });
    const closed = new Promise<{ code: number; reason: string }>((resolve) => {
      client.once('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    await new Promise((resolve, reject) => client.once('open', resolve).once('error', reject));
    return { client, errors, closed };
  };

  it('ends with 1008 and the reason when its key or provider would be refused now, and only then', async () => {
    const PAST = '2020-01-01T00:00:00.000Z';
    const cases: readonly (readonly [string, (key: string, slug: string) => void])[] = [
      ['The API key of this session is no longer valid.', (key) => gateway.removeKey(key)],
      ['The API key of this session has expired.', (key) => gateway.addKey(key, { expiresAt: PAST })],
      [
        'The API key of this session has lost the scope for it.',
        (key) => gateway.addKey(key, { scopes: [] }),
      ],
      [
        'The provider of this session is no longer available.',
        (_key, slug) => gateway.documents.remove(documentKey.provider(WORKSPACE_ID, slug)),
      ],
      [
        'The provider of this session has expired.',
        (_key, slug) => gateway.addProvider(slug, 'openai', provider.origin, { expiresAt: PAST }),
      ],
      [
        'The model of this session is no longer enabled.',
        (_key, slug) => gateway.addProvider(slug, 'openai', provider.origin, { allowAllModels: false }),
      ],
    ];
    const others = [await openWith(newKey()), await openWith(newKey(), 'main')];
    const sessions = [];
    for (const [at, [reason, end]] of cases.entries()) {
      const [key, slug] = [newKey(), `p${String(at)}`];
      gateway.addProvider(slug, 'openai', provider.origin);
      sessions.push({ reason, end: () => end(key, slug), session: await openWith(key, slug) });
    }
    // A new version of a document that changes nothing for this session.
    gateway.addProvider('main', 'openai', provider.origin);
    for (const { end } of sessions) end();
    for (const { reason, session } of sessions) {
      expect(await session.closed).toEqual({ code: 1008, reason });
      expect(session.errors).toHaveLength(1);
    }
    for (const { client } of others) expect(client.readyState).toBe(WebSocket.OPEN);
    const records = await eventually(async () => {
      const ended = (await gateway.records()).filter(({ decision }) => decision.session !== undefined);
      return ended.length === cases.length && ended;
    });
    for (const { outcome, decision } of records) {
      expect(outcome).toBe('denied');
      expect(decision.session).toMatchObject({ closedBy: 'gateway', code: 1008 });
    }
  });

  it.each([
    ['workspace', () => gateway.addTenant(WORKSPACE_ID, 'main', { status: 'archived' })],
    ['organisation', () => gateway.setOrganisation({ status: 'archived' } as never)],
  ])('ends with 1008 when its %s is disabled', async (_what, disable) => {
    const session = await openWith(newKey());
    disable();
    const reason = 'The API key of this session is no longer valid.';
    expect(await session.closed).toEqual({ code: 1008, reason });
  });

  it('continues while the documents that admitted it cannot be read', async () => {
    const [session, other] = [await openWith(newKey()), await openWith(newKey())];
    const { documents } = gateway;
    const { get, load } = documents;
    let looks = 0;
    documents.get = () => undefined as never;
    documents.load = () => {
      looks += 1;
      return Promise.reject(new Error('the control plane is unreachable'));
    };
    await eventually(() => looks > 2);
    Object.assign(documents, { get, load });
    other.client.close();
    await other.closed;
    expect(session.client.readyState).toBe(WebSocket.OPEN);
  });

  it.each([
    ['a model', '{"type":"response.create","model":"gpt-4o","model":"gpt-realtime"}'],
    ['a model, escaped', '{"type":"session.update","session":{"mod\\u0065l":"a","model":"b"}}'],
    ['a type', '{"type":"response.create","type":"session.update"}'],
  ])('ends with 1008 at a message that names %s twice, which is not forwarded', async (_what, message) => {
    const session = await openWith(newKey());
    const upstream = await provider.connection(0);
    session.client.send(message);
    expect(await session.closed).toEqual({ code: 1008, reason: 'A message has a duplicate member name.' });
    expect(session.errors).toHaveLength(1);
    expect(upstream.messages).toHaveLength(0);
  });
});
