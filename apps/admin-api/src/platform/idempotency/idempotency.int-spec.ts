import { ApiKeyEntity, IdempotentRequestEntity, LabelEntity, sweepIdempotentRequests } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse, type Call } from '../../spec-support/admin-api';
import { isProtocolRoute } from '../../spec-support/protocol-routes';
import type { Failure } from '../../spec-support/api-keys';
import { severalAtATime } from '../../spec-support/several-at-a-time';

const admin = new TestAdminApi();
const ours = admin.sharedTenant();

const labels = (name: string): Promise<number> => admin.dataSource.manager.countBy(LabelEntity, { name });
const under = (key: string, call: Call): Call => ({ ...call, headers: { 'idempotency-key': key } });
const makeLabel = (
  key: string,
  name: string,
  secret = ours.adminKey,
): Promise<GatewayResponse<{ id: string }>> =>
  admin.post('/v1/labels', under(key, { key: secret, body: { name, workspace_id: ours.workspaceId } }));
const serviceKey = (name: string, workspaceId = ours.workspaceId): Call => ({
  key: ours.adminKey,
  body: { name, workspace_id: workspaceId, scopes: ['completions.write'] },
});
const rows = (): Promise<IdempotentRequestEntity[]> => admin.dataSource.manager.find(IdempotentRequestEntity);

describe('POST with an Idempotency-Key', () => {
  it('creates one label for 10 parallel requests, and returns its id to all of them', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => makeLabel('parallel', 'parallel')));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(9);
    expect(await labels('parallel')).toBe(1);
  });

  it('creates one policy for 10 parallel requests with the same name', async () => {
    const body = {
      name: 'one',
      type: 'requests',
      unit: 'rpm',
      value: 100,
      conditions: [{ key: 'api_key', value: '*' }],
      group_by: [{ key: 'api_key' }],
      workspace_id: ours.workspaceId,
    };
    const call = under('policy', { key: ours.adminKey, body });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => admin.post<{ id: string }>('/v1/policies/rate-limits', call)),
    );
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    expect(new Set(responses.map(({ body: { id } }) => id)).size).toBe(1);
  });

  it('returns a new API key again, and stores its secret sealed', async () => {
    const call = under('secret', serviceKey('kept'));
    const [first, again] = [
      await admin.post<{ key: string }>('/v1/api-keys/workspace/service', call),
      await admin.post<{ key: string }>('/v1/api-keys/workspace/service', call),
    ];
    expect(again.body).toEqual(first.body);
    expect(await admin.dataSource.manager.countBy(ApiKeyEntity, { name: 'kept' })).toBe(1);
    const texts = (await rows()).map((row) => JSON.stringify(row));
    expect(texts.filter((text) => text.includes(first.body.key))).toEqual([]);
  });

  it('returns the etag of the first response again', async () => {
    const send = (): Promise<GatewayResponse> =>
      admin.post(
        '/v1/configs',
        under('etag', {
          key: ours.adminKey,
          body: { name: 'etag', config: { retry: { attempts: 2 } }, workspace_id: ours.workspaceId },
        }),
      );
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(200);
    expect([again.body, again.headers['etag']]).toEqual([first.body, first.headers['etag']]);
  });

  it('refuses another body with the same key, and creates nothing', async () => {
    await makeLabel('reused', 'reused-1');
    const { status, body } = await makeLabel('reused', 'reused-2');
    expect([status, (body as unknown as Failure).error]).toMatchObject([
      422,
      { type: 'idempotency_key_reused', param: 'idempotency-key' },
    ]);
    expect(await labels('reused-2')).toBe(0);
  });

  it('treats the same key from another credential or on another path as a different key', async () => {
    await makeLabel('shared', 'shared');
    const other = await makeLabel('shared', 'shared-2', ours.key);
    const path = await admin.post('/v1/api-keys/workspace/service', under('shared', serviceKey('shared')));
    expect([other.status, path.status]).toEqual([200, 200]);
    expect([other.headers['idempotent-replayed'], path.headers['idempotent-replayed']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('executes a request again that was refused before', async () => {
    const workspaceId = uuidv7();
    const call = under('refused', serviceKey('later', workspaceId));
    const refused = await admin.post('/v1/api-keys/workspace/service', call);
    await admin.workspace(ours.organisationId, { id: workspaceId });
    const made = await admin.post('/v1/api-keys/workspace/service', call);
    expect([refused.status, made.status]).toEqual([404, 200]);
  });

  it('does not repeat a change whose response was lost', async () => {
    await makeLabel('lost', 'lost');
    await admin.dataSource.manager.query('UPDATE idempotent_requests SET sealed_response = NULL');
    const { status, body } = await makeLabel('lost', 'lost');
    expect([status, (body as unknown as Failure).error.type]).toEqual([409, 'conflict']);
    expect(await labels('lost')).toBe(1);
  });

  it('rolls back the change of a process that has lost its claim to another one', async () => {
    const { manager } = admin.dataSource;
    // The trigger gives the claim to another process just before the handler commits.
    await manager.query(
      `CREATE FUNCTION take_over() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         UPDATE idempotent_requests SET token = 'another' WHERE NOT is_carried_out; RETURN NEW; END $$`,
    );
    await manager.query(
      "CREATE TRIGGER take_over BEFORE INSERT ON labels FOR EACH ROW WHEN (NEW.name = 'taken') EXECUTE FUNCTION take_over()",
    );
    const { status, headers, body } = await makeLabel('taken', 'taken');
    expect([status, headers['retry-after'], (body as unknown as Failure).error.type]).toEqual([
      409,
      '1',
      'idempotency_in_flight',
    ]);
    expect(await labels('taken')).toBe(0);
  });

  it('executes the request again after 24 hours, and the sweep deletes older rows', async () => {
    await makeLabel('old', 'old');
    await admin.dataSource.manager.query(
      "UPDATE idempotent_requests SET created_at = now() - interval '25 hours'",
    );
    const before = (await rows()).length;
    const again = await makeLabel('old', 'old-2');
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await sweepIdempotentRequests(admin.dataSource.manager)).toBe(before - 1);
    expect(await rows()).toHaveLength(1);
  });

  it('keeps at most 10,000 keys of an organisation, and all keys of other organisations', async () => {
    const other = await admin.tenant();
    await admin.post('/v1/labels', under('theirs', { key: other.key, body: { name: 'theirs' } }));
    await admin.dataSource.manager.query(
      `INSERT INTO idempotent_requests (scope, organisation_id, fingerprint, token, lease_until, is_carried_out, created_at)
       SELECT 'full-' || n, $1, '', '', now(), true, now() - interval '1 hour' FROM generate_series(1, 10000) AS n`,
      [ours.organisationId],
    );
    await makeLabel('newest', 'newest');
    const kept = await rows();
    expect(kept.filter(({ organisationId }) => organisationId === ours.organisationId)).toHaveLength(10_000);
    expect(kept.filter(({ organisationId }) => organisationId === other.organisationId)).toHaveLength(1);
    expect((await makeLabel('newest', 'newest')).headers['idempotent-replayed']).toBe('true');
  });
});

describe('every POST with a caller', () => {
  /**
   * Public routes have no caller to whom a key could belong; each of them uses up its token or
   * creates nothing.
   */
  const PUBLIC = [
    '/v1/auth/claim',
    '/v1/auth/login',
    '/v1/auth/login/mfa',
    '/v1/auth/login/passkey',
    '/v1/auth/login/passkey/options',
    '/v1/auth/oidc/backchannel-logout/:connectionId',
    '/v1/auth/password/forgot',
    '/v1/auth/password/reset',
    '/v1/auth/refresh',
    '/v1/auth/saml/callback/:organisationId',
    '/v1/auth/saml/slo/:organisationId',
    '/v1/auth/sso/exchange',
    '/v1/invites/accept',
  ];

  it('reads Idempotency-Key, whatever it creates', async () => {
    const { id, email } = await admin.user(ours.organisationId, 'owner', { [ours.workspaceId]: 'admin' });
    const token = await admin.login(email);
    const userKey = await admin.apiKey('workspace-user', { ...ours, userId: id });
    const server = admin.api.app.getHttpAdapter().getInstance() as {
      routeTable?: { all(): [string, string][] };
    };
    const paths = (server.routeTable?.all() ?? [])
      .filter(([method, path]) => method === 'POST' && path.startsWith('/v1/') && !isProtocolRoute(path))
      .map(([, path]) => path);
    expect(paths.length).toBeGreaterThan(50);
    const deaf: string[] = [];
    await severalAtATime(paths, async (path) => {
      const responses: GatewayResponse<Partial<Failure>>[] = [];
      for (const credential of [{ token }, { key: ours.adminKey }, { key: ours.key }, { key: userKey }]) {
        responses.push(
          await admin.post<Partial<Failure>>(
            path.replaceAll(/:\w+/g, path.includes('workspaces/:') ? ours.workspaceId : uuidv7()),
            under('no key', { ...credential, body: {} }),
          ),
        );
      }
      if (!responses.some(({ body }) => body.error?.param === 'idempotency-key')) {
        deaf.push(path);
      }
    });
    expect(deaf.sort()).toEqual(PUBLIC);
  });
});
