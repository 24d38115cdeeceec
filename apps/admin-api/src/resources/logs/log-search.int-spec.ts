import type { LogRecord } from '@gw/contracts';
import { HOUR_MS } from '@gw/kernel';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { sampleLogRecord } from '@gw/testing';
import { TestAdminApi, type GatewayResponse, type Tenant } from '../../spec-support/admin-api';
import type { LogPage } from '../../platform/logs/log-responses.dto';
import { LogSearch } from './log-search';

describe('text search in logs', () => {
  const admin = new TestAdminApi();
  let tenant: Tenant;
  const now = Date.now();
  const at = (hoursAgo: number): string => new Date(now - hoursAgo * HOUR_MS).toISOString();
  const recent = `time_of_generation_min=${at(50)}`;

  const log = async (changes: Partial<LogRecord>, request = '', response = ''): Promise<string> => {
    const { organisationId, workspaceId } = tenant;
    const record = sampleLogRecord({ organisationId, workspaceId, ...changes });
    await ensureLogPartitions(admin.dataSource, [dayOf(record.createdAt)]);
    const bodies = { request: Buffer.from(request), response: Buffer.from(response) };
    await insertLogs(admin.dataSource.manager, [{ row: requestLogRow(record), ...bodies }]);
    return record.id;
  };
  const search = (q: string, more = recent, key = tenant.key): Promise<GatewayResponse<LogPage>> =>
    admin.get<LogPage>(`/v1/logs?q=${encodeURIComponent(q)}&${more}`, { key });
  const idsOf = async (q: string, more?: string): Promise<string[]> => {
    const { status, body } = await search(q, more);
    expect({ q, status }).toEqual({ q, status: 200 });
    return body.data.map(({ id }) => id);
  };

  beforeAll(async () => {
    tenant = await admin.tenant();
  });

  it('finds the text in request, response, URL and error type, in any case and any JSON escaping', async () => {
    const long = 'filler '.repeat(200);
    const prompt = await log(
      { createdAt: at(1) },
      JSON.stringify({ content: `${long} the Blue Whale ${long}` }),
    );
    const response = await log({ createdAt: at(2) }, '{}', '{"content":"a blue whale"}');
    const url = await log({ createdAt: at(3), url: '/v1/files/blue whale.pdf' });
    const error = await log({ createdAt: at(4), errorType: 'blue whale' });
    await log({ createdAt: at(5) }, '{"content":"a blue  whale"}');
    expect(await idsOf('BLUE WHALE')).toEqual([prompt, response, url, error]);
    const quoted = await log(
      { createdAt: at(6) },
      JSON.stringify({ content: 'she said "gr\u00fc\u00df\nGott"' }),
    );
    const ascii = await log({ createdAt: at(7) }, '{"content":"\\"gr\\u00FC\\u00df\\nGott\\""}');
    expect(await idsOf('"gr\u00fc\u00df\ngott"')).toEqual([quoted, ascii]);
    expect(await idsOf('100%_of\\it')).toEqual([]);
  });

  it('applies the other filters, the time range and the workspace', async () => {
    const mine = await log({ createdAt: at(10), model: 'm-1' }, 'the needle');
    await log({ createdAt: at(11), model: 'm-2' }, 'the needle');
    await log({ createdAt: at(60), model: 'm-1' }, 'the needle');
    const foreign = await admin.tenant();
    const { organisationId, workspaceId } = foreign;
    await log({ createdAt: at(10), model: 'm-1', organisationId, workspaceId }, 'the needle');
    expect(await idsOf('needle', `${recent}&model=m-1`)).toEqual([mine]);
    expect((await search('needle', recent, foreign.key)).body.data).toHaveLength(1);
  });

  it('continues from page to page, and reports how far it searched', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1)
      ids.push(await log({ createdAt: at(20 + i), model: 'paged' }, i % 2 === 0 ? 'a haystack' : 'nothing'));
    const wanted = ids.filter((_, i) => i % 2 === 0);
    const first = (await search('haystack', `${recent}&model=paged&page_size=3`)).body;
    expect(first.data.map(({ id }) => id)).toEqual(wanted.slice(0, 3));
    expect(first).toMatchObject({ has_more: true, searched: { logs: 5, until: at(24) } });
    const rest = `${recent}&model=paged&page_size=3&cursor=${String(first.next_cursor)}`;
    expect((await search('haystack', rest)).body).toMatchObject({
      data: [{ id: wanted[3] }],
      has_more: false,
      next_cursor: null,
      searched: { logs: 2, until: at(26) },
    });
  });

  it('ends a page at its bounds, and continues after the last searched log', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1)
      ids.push(await log({ createdAt: at(30 + i), model: 'bounded' }, `log ${String(i)}`));
    const owner = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const filter = {
      ...{ owner, values: { model: ['bounded'] }, statuses: [], streamed: null, metadata: {} },
      ranges: { created_at: { min: new Date(at(50)) } },
    };
    const bounded = new LogSearch(admin.dataSource, true, { logsMax: 4, bytesMax: 1e9, msMax: 60_000 });
    const first = await bounded.find({ ...filter, after: null }, 'log 5', 10);
    expect(first).toMatchObject({ rows: [], logs: 4, next: { id: ids[3] } });
    const second = await bounded.find({ ...filter, after: first.next }, 'log 5', 10);
    expect(second).toMatchObject({ rows: [{ id: ids[5] }], logs: 2, next: null });
    const narrow = new LogSearch(admin.dataSource, true, { logsMax: 100, bytesMax: 1, msMax: 60_000 });
    expect(await narrow.find({ ...filter, after: null }, 'log 5', 10)).toMatchObject({ logs: 1 });
  });

  it('returns unavailable when its time is over before the first log, since nothing was searched', async () => {
    await log({ createdAt: at(40), model: 'slow' }, 'a haystack');
    const owner = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const filter = {
      ...{ owner, values: { model: ['slow'] }, statuses: [], streamed: null, metadata: {}, after: null },
      ranges: { created_at: { min: new Date(at(50)) } },
    };
    // Postgres takes a timeout of 0 as none.
    const late = new LogSearch(admin.dataSource, true, { logsMax: 100, bytesMax: 1e9, msMax: 0 });
    await expect(late.find(filter, 'haystack', 10)).rejects.toMatchObject({ type: 'unavailable' });
    const none = { ...filter, values: { model: ['unknown'] } };
    expect(await late.find(none, 'haystack', 10)).toMatchObject({ rows: [], next: null, logs: 0 });
  });

  it('runs a few searches concurrently, and refuses further ones', async () => {
    const owner = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const ranges = { created_at: { min: new Date(at(50)) } };
    const filter = { owner, values: {}, ranges, statuses: [], streamed: null, metadata: {}, after: null };
    const searches = new LogSearch(admin.dataSource, true);
    const ends = await Promise.allSettled([1, 2, 3, 4, 5].map(() => searches.find(filter, 'nothing', 10)));
    expect(ends.map(({ status }) => status)).toEqual([...Array<string>(4).fill('fulfilled'), 'rejected']);
    expect(ends[4]).toMatchObject({ reason: { type: 'unavailable' } });
  });

  it('refuses a search without a range, with a long range or a short text, in a tail, and without bodies in the database', async () => {
    const refused = async (q: string, more: string, param: string): Promise<void> => {
      const { status, body } = await search(q, more);
      expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'AB01', param } } });
    };
    await refused('needle', '', 'time_of_generation_min');
    await refused('needle', `time_of_generation_min=${at(32 * 24)}`, 'time_of_generation_min');
    await refused('ne', recent, 'q');
    const elsewhere = new LogSearch(admin.dataSource, false);
    const owner = { organisationId: tenant.organisationId, workspaceId: null };
    const filter = { owner, values: {}, ranges: {}, statuses: [], streamed: null, metadata: {}, after: null };
    await expect(elsewhere.find(filter, 'needle', 1)).rejects.toMatchObject({
      type: 'validation_failed',
      message: expect.stringContaining('LOG_STORE') as string,
    });
    const tail = await admin.get('/v1/logs/tail?q=needle', { key: tenant.key });
    expect(tail.status).toBe(400);
  });
});
