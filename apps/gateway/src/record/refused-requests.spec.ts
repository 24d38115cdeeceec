import { GatewayHarness, ORGANISATION_ID } from '../spec-support/harness';
import { GatewayError, MINUTE_MS, type ErrorType } from '@gw/kernel';
import type { RequestContext } from '../core/request-context';
import { RequestSession } from '../realtime/request-session';
import { RequestReply } from '../reply/request-reply';
import { isRefused, RefusedRequests } from './refused-requests';

interface Report {
  readonly unlogged: number;
}

const requestsOf = (reports: Report[] = []): RefusedRequests =>
  new RefusedRequests({ warn: (report: Report) => reports.push(report) } as never);

function replyWith(type: ErrorType | null): RequestReply {
  const reply = new RequestReply();
  if (type !== null) reply.fail(new GatewayError(type));
  return reply;
}

const refused = (id: string | null, changes: Partial<RequestContext> = {}): RequestContext =>
  ({
    principal: null,
    refusedKey: id === null ? null : { id, organisationId: 'organisation-1' },
    reply: replyWith('api_key_invalid'),
    session: null,
    startedWallMs: 0,
    ...changes,
  }) as RequestContext;

describe('RefusedRequests', () => {
  const admitted = (requests: RefusedRequests, count: number, of: (i: number) => RequestContext): number =>
    Array.from({ length: count }, (_, i) => requests.admits(of(i))).filter(Boolean).length;

  it('gives 60 log rows a minute to an ended key, 60 to all unknown ones, and counts every request', () => {
    const requests = requestsOf();
    expect(admitted(requests, 1_000, () => refused('key-1'))).toBe(60);
    expect(admitted(requests, 1_000, () => refused(null))).toBe(60);
    expect(Object.fromEntries(requests.counts)).toEqual({ ended: 1_000, unknown: 1_000 });
    expect(requests.unlogged).toBe(1_880);
    expect(admitted(requests, 100, () => refused('key-1', { startedWallMs: MINUTE_MS }))).toBe(60);
  });

  it('gives 300 log rows a minute to an organisation, however many of its keys have ended', () => {
    expect(admitted(requestsOf(), 5_000, (i) => refused(`key-${String(i % 500)}`))).toBe(300);
  });

  it('distinguishes a bounded number of keys', () => {
    const of = (i: number): RequestContext =>
      refused(null, { refusedKey: { id: `key-${String(i)}`, organisationId: `organisation-${String(i)}` } });
    expect(admitted(requestsOf(), 5_000, of)).toBe(500);
  });

  it('writes to the process log once a minute, with the counts since the last line', () => {
    const reports: Report[] = [];
    const requests = requestsOf(reports);
    for (let i = 0; i < 100; i += 1) requests.admits(refused(null));
    requests.admits(refused('key-1', { startedWallMs: MINUTE_MS }));
    expect(reports).toEqual([
      { unknown: 1, unlogged: 0 },
      { unknown: 99, ended: 1, unlogged: 40 },
    ]);
  });

  it('ignores requests with usable keys', () => {
    const principal = {} as RequestContext['principal'];
    const isRefusedWith = (type: ErrorType | null): boolean =>
      isRefused(refused(null, { principal, reply: replyWith(type) }));
    expect(isRefusedWith(null)).toBe(false);
    expect(isRefusedWith('rate_limited')).toBe(false);
    expect(isRefusedWith('api_key_expired')).toBe(true);
  });

  it('ignores requests and sessions whose caller was withdrawn while they were in flight', () => {
    const principal = {} as RequestContext['principal'];
    const cut = new RequestReply();
    cut.cut(new GatewayError('api_key_invalid'));
    expect(isRefused(refused(null, { principal, reply: cut }))).toBe(false);
    expect(isRefused(refused(null, { principal, session: new RequestSession() }))).toBe(false);
  });
});

describe('log record of a request whose key is refused', () => {
  let gateway: GatewayHarness;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
  });
  afterEach(() => gateway.stop());

  const call = async (apiKey: string): Promise<unknown> => {
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ 'x-gw-api-key': apiKey, 'x-gw-provider': 'openai', 'x-gw-trace-id': 'refused' },
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'private' }] }),
    });
    return [response.status, ((await response.json()) as { error: { type: string } }).error.type];
  };

  it('[SVC-02] names the organisation and the key if the key was revoked, and contains no body', async () => {
    gateway.endKey(gateway.apiKey, 'key-revoked');
    expect(await call(gateway.apiKey)).toEqual([401, 'api_key_invalid']);
    const [record] = await gateway.records();
    expect(record).toMatchObject({
      ...{ organisationId: ORGANISATION_ID, workspaceId: null, apiKeyId: 'key-revoked' },
      ...{ traceId: 'refused', status: 401, outcome: 'denied', errorType: 'api_key_invalid' },
      ...{ requestBody: null, responseBody: null },
    });
    expect(gateway.plane.refused.counts.get('ended')).toBe(1);
  });

  it('[SVC-02] names the organisation if the workspace of the key was deleted', async () => {
    gateway.addKey('k'.repeat(40), { workspaceId: 'workspace-gone', id: 'key-left' });
    expect(await call('k'.repeat(40))).toEqual([401, 'api_key_invalid']);
    expect(await gateway.records()).toMatchObject([
      { workspaceId: null, apiKeyId: 'key-left', traceId: 'refused' },
    ]);
  });

  it('names no owner for a key that never existed', async () => {
    expect(await call('never')).toEqual([401, 'api_key_invalid']);
    expect(await gateway.records()).toMatchObject([{ organisationId: null, apiKeyId: null }]);
    expect(gateway.plane.refused.counts.get('unknown')).toBe(1);
  });
});
