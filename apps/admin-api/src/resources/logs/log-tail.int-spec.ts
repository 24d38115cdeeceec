import type { LogRecord } from '@gw/contracts';
import { ApiKeyEntity, ApiKeySecretEntity, SessionEntity, WorkspaceUserEntity } from '@gw/entities';
import { hashApiKey, uuidv7 } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { eventually, sampleLogRecord } from '@gw/testing';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { MASTER_KEY, PASSWORD, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';
import { Secrets } from '../../settings';

type Headers = Readonly<Record<string, string>>;

interface OpenTail {
  readonly res: IncomingMessage;
  readonly events: readonly EventSourceMessage[];
  /** Returns everything that was sent. */
  readonly text: () => string;
  readonly isOver: () => boolean;
  readonly close: () => void;
}

describe('tail of logs', () => {
  const admin = new TestAdminApi({ CONSOLE_URL: 'https://console.example' });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();
  const opened: OpenTail[] = [];
  beforeAll(async () => {
    // Logs of this test may be from before midnight, or after it.
    await ensureLogPartitions(
      admin.dataSource,
      [-1, 0, 1].map((days) => dayOf(new Date()) + days),
    );
    await admin.api.app.listen(0, '127.0.0.1');
  });
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });

  const byKey = (key: string): Headers => ({ 'x-gw-api-key': key });
  /** Opens a tail that stays open until the end of the test. */
  async function tail(query: string, headers: Headers = byKey(ours.key)): Promise<OpenTail> {
    const { port } = admin.api.app.getHttpServer().address() as { port: number };
    let call: ClientRequest | undefined;
    const res = await new Promise<IncomingMessage>((resolve, reject) => {
      call = httpRequest({ port, path: `/v1/logs/tail?${query}`, headers }, resolve);
      call.once('error', reject);
      call.end();
    });
    let [text, isOver] = ['', false];
    const events: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => events.push(event) });
    res.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      parser.feed(chunk.toString());
    });
    res.on('error', () => undefined);
    res.on('close', () => (isOver = true));
    const made = { res, events, text: () => text, isOver: () => isOver, close: () => call?.destroy() };
    opened.push(made);
    await eventually(() => text.includes(': tail') || res.statusCode !== 200);
    return made;
  }
  const put = async (all: readonly Partial<LogRecord>[]): Promise<string[]> => {
    const { organisationId, workspaceId } = ours;
    const records = all.map((changes) => sampleLogRecord({ organisationId, workspaceId, ...changes }));
    const entries = records.map((record) => ({ row: requestLogRow(record), request: null, response: null }));
    await insertLogs(admin.dataSource.manager, entries);
    return records.map(({ id }) => id);
  };
  const log = async (changes: Partial<LogRecord> = {}): Promise<string> => (await put([changes]))[0] ?? '';
  const ids = ({ events }: OpenTail): (string | undefined)[] =>
    events.filter(({ event }) => event === 'log').map(({ id }) => id);
  const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

  it('sends each later log once, if it matches the filter and belongs to the same tenant', async () => {
    const earlier = await log({ createdAt: ago(5_000) });
    const open = await tail('status=2xx');
    const foreign = await tail('', byKey(theirs.key));
    expect(open.res.headers['content-type']).toBe('text/event-stream');
    const first = await log();
    const failed = await log({ status: 500 });
    await eventually(() => ids(open).includes(first));
    const second = await log();
    await eventually(() => ids(open).includes(second));
    expect(ids(open).filter((id) => id === first)).toHaveLength(1);
    for (const id of [earlier, failed]) expect(ids(open)).not.toContain(id);
    const [event] = open.events;
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ object: 'log', response_status_code: 200 });
    expect(foreign.events).toEqual([]);
  });

  it('accepts the filters of lists, by key and metadata as well, and ignores a cursor', async () => {
    const apiKeyId = uuidv7();
    const { body } = await admin.get<{ next_cursor: string | null }>('/v1/logs?page_size=1', {
      key: ours.key,
    });
    const open = await tail(
      `api_key_id=${apiKeyId}&metadata.team=red&is_success=true&cursor=${body.next_cursor ?? ''}`,
    );
    const team = { metadata: { team: 'red' } };
    const others = await put([
      { apiKeyId },
      { ...team },
      { ...team, apiKeyId, status: 500, outcome: 'failed' },
    ]);
    const wanted = await log({ ...team, apiKeyId });
    await eventually(() => ids(open).includes(wanted));
    expect(ids(open).filter((id) => id !== wanted)).toEqual([]);
    expect(others).toHaveLength(3);
  });

  it('sends logs that arrive late behind many newer ones', async () => {
    const open = await tail('trace_id=busy');
    const from = Date.now();
    const newer = await put(Array.from({ length: 500 }, () => ({ traceId: 'busy' })));
    await eventually(() => ids(open).length === newer.length);
    const late = await log({ traceId: 'busy', createdAt: new Date(from + 1).toISOString() });
    await eventually(() => ids(open).includes(late));
    expect(new Set(ids(open)).size).toBe(ids(open).length);
  });

  it("sends a log that is stored after the tail's start and whose request began before it", async () => {
    const stored = await log({ traceId: 'earlier', createdAt: ago(3_000) });
    const open = await tail('trace_id=earlier');
    const late = await log({ traceId: 'earlier', createdAt: ago(4_000) });
    await eventually(() => ids(open).length > 0);
    expect(ids(open)).toEqual([late]);
    expect(ids(open)).not.toContain(stored);
  });

  it('reports how many logs it skips, and sends the newest', async () => {
    const open = await tail('trace_id=flood');
    const from = Date.now();
    const flood = await put(
      Array.from({ length: 730 }, (_, i) => ({
        traceId: 'flood',
        createdAt: new Date(from + i).toISOString(),
      })),
    );
    await eventually(() => ids(open).length === 500);
    const skipped = open.events.filter(({ event }) => event === 'skipped');
    expect(skipped.map(({ data }) => JSON.parse(data) as unknown)).toEqual([{ count: 230, exact: true }]);
    expect(ids(open)).toEqual(flood.slice(230));
    const next = await log({ traceId: 'flood', createdAt: new Date(from + 1_000).toISOString() });
    await eventually(() => ids(open).includes(next));
    expect(open.events.filter(({ event }) => event === 'skipped')).toHaveLength(1);
  });

  it('reports that the count is not exact when more logs arrived than are read', async () => {
    const open = await tail('trace_id=deluge&status=5xx');
    const from = Date.now();
    await put(
      Array.from({ length: 5_100 }, (_, i) => ({
        traceId: 'deluge',
        createdAt: new Date(from + 10 + i).toISOString(),
      })),
    );
    await eventually(() => open.events.length > 0);
    expect(open.events.map(({ event, data }) => [event, JSON.parse(data) as unknown])).toEqual([
      ['skipped', { count: 0, exact: false }],
    ]);
  });

  it('ends after its duration, and is limited for one caller so that others can open one', async () => {
    // The test has a separate caller: tails that other tests have closed may still count for
    // theirs.
    const key = byKey(await admin.apiKey('workspace-service', ours));
    const open = await Promise.all(Array.from({ length: 50 }, () => tail('max_seconds=3600', key)));
    const refused = await tail('', key);
    expect(refused.res.statusCode).toBe(503);
    expect(refused.res.headers['retry-after']).toBe('10');
    // One caller gets half of the 50 slots, so that others find a free one.
    expect(open.filter(({ res }) => res.statusCode === 200)).toHaveLength(25);
    const other = await tail('max_seconds=3600', byKey(theirs.key));
    expect(other.res.statusCode).toBe(200);
    for (const { close } of opened.splice(0)) close();
    await eventually(async () => {
      const short = await tail('max_seconds=1', key);
      return short.res.statusCode === 200 && (await eventually(short.isOver));
    });
  });

  it('requires the scope of lists', async () => {
    const weak = await admin.apiKey('workspace-service', ours, ['logs.view']);
    expect((await tail('', byKey(weak))).res.statusCode).toBe(403);
    expect((await admin.get('/v1/logs/tail')).status).toBe(401);
    expect((await admin.get('/v1/logs/tail?status=bad', { key: ours.key })).status).toBe(400);
  });

  describe('ends while it is open', () => {
    /** Opens a console session and returns the headers of its requests. */
    async function consoleOf({ email }: { readonly email: string }): Promise<Headers> {
      const { headers } = await admin.post('/v1/auth/login', {
        headers: { 'x-gw-console': '1' },
        body: { email, password: PASSWORD },
      });
      const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
      return { 'x-gw-console': '1', cookie };
    }
    const member = () => admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'admin' });
    /** Resolves when `open` has ended, and checks that another tail continues. */
    async function endsAlone(open: OpenTail, other: OpenTail): Promise<void> {
      await eventually(open.isOver);
      const next = await log();
      await eventually(() => ids(other).includes(next));
      expect(ids(open)).not.toContain(next);
    }

    it('when the session of the console logs out, and not when its cookie is renewed', async () => {
      const user = await member();
      const [first, second] = [await consoleOf(user), await consoleOf(user)];
      const [open, other] = [await tail('', first), await tail('', second)];
      const old = { tokenMadeAt: new Date(Date.now() - 3_700_000) };
      await admin.dataSource.manager.update(SessionEntity, { userId: user.id }, old);
      const renewed = await admin.get('/v1/auth/self', { headers: first });
      const cookie = String(renewed.headers['set-cookie']).split(';', 1)[0] ?? '';
      expect(cookie).not.toBe(first['cookie']);
      await admin.post('/v1/auth/logout', { headers: { ...first, cookie } });
      await endsAlone(open, other);
    });

    it('when the session expires', async () => {
      const user = await member();
      const open = await tail('', await consoleOf(user));
      const other = await tail('', await consoleOf(await member()));
      const past = { expiresAt: new Date(Date.now() - 1) };
      await admin.dataSource.manager.update(SessionEntity, { userId: user.id }, past);
      await endsAlone(open, other);
    });

    it('when the user leaves the workspace', async () => {
      const user = await member();
      const open = await tail('', { authorization: `Bearer ${await admin.login(user.email)}` });
      const other = await tail('', await consoleOf(await member()));
      await admin.dataSource.manager.delete(WorkspaceUserEntity, { userId: user.id });
      await endsAlone(open, other);
    });

    it('when the key is deleted or loses the scope', async () => {
      const secrets = [
        await admin.apiKey('workspace-service', ours),
        await admin.apiKey('workspace-service', ours),
      ];
      const [deleted, weakened] = [
        await tail('', byKey(secrets[0] ?? '')),
        await tail('', byKey(secrets[1] ?? '')),
      ];
      const other = await tail('');
      const { manager } = admin.dataSource;
      const pepper = new Secrets(MASTER_KEY, SERVICE_TOKEN).apiKeyPepper;
      const idOf = async (secret = ''): Promise<string> =>
        (await manager.findOneByOrFail(ApiKeySecretEntity, { secretHash: hashApiKey(pepper, secret) }))
          .apiKeyId;
      await manager.update(ApiKeyEntity, { id: await idOf(secrets[0]) }, { status: 'archived' });
      await manager.update(ApiKeyEntity, { id: await idOf(secrets[1]) }, { scopes: ['logs.view'] });
      await endsAlone(deleted, other);
      await endsAlone(weakened, other);
    });
  });
});
