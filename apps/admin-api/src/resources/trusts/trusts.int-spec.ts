import { createHash } from 'node:crypto';
import { documentKey, INTERNAL, type TrustsDocument } from '@gw/contracts';
import { rsaKeyPair, signedToken, StubProvider, TOKEN_AUDIENCE } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

const KEY = rsaKeyPair('k1');
const ISSUER = 'https://idp.example.org';
const now = (): number => Math.floor(Date.now() / 1_000);

interface Failure {
  readonly error: { readonly type: string; readonly param: string | null };
}
interface Trust {
  readonly id: string;
  readonly jwks_uri: string | null;
  readonly maps: readonly { readonly workspace: string | null }[];
}

describe('/v1/trusts', () => {
  let keys: StubProvider;
  const api = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const tenant = api.sharedTenant();
  const other = api.sharedTenant();
  beforeAll(async () => {
    keys = await StubProvider.start();
    keys.respondJson({ keys: [KEY.jwk] });
  });
  afterAll(() => keys.stop());

  const fields = (more: object = {}): Record<string, unknown> => ({
    name: `t${String(Math.random())}`,
    kind: 'jwt',
    issuer: ISSUER,
    jwks: { keys: [KEY.jwk] },
    audiences: [TOKEN_AUDIENCE],
    maps: [{ workspace: tenant.workspaceId, scopes: ['completions.write'] }],
    ...more,
  });
  const create = (more: object = {}, key = tenant.adminKey): Promise<GatewayResponse<Trust & Failure>> =>
    api.post<Trust & Failure>('/v1/trusts', { key, body: fields(more) });
  const documentOf = async (issuer: string): Promise<TrustsDocument | null> => {
    const key = documentKey.trusts(createHash('sha256').update(issuer).digest('hex'));
    const { body } = await api.post<{ documents: Record<string, TrustsDocument | null> }>(
      INTERNAL.documents,
      {
        token: SERVICE_TOKEN,
        body: { keys: [key] },
      },
    );
    return body.documents[key] ?? null;
  };

  it('[SCP-03] [REL-01] accepts several addresses of key sets, separated by commas, and publishes them to gateways', async () => {
    const issuer = 'https://several.example.org';
    const uri = ` ${keys.origin}/a , https://keys.example.org/b ,`;
    const { status, body } = await create({ issuer, jwks: undefined, jwks_uri: uri });
    expect([status, body.jwks_uri]).toEqual([200, `${keys.origin}/a,https://keys.example.org/b`]);
    expect((await documentOf(issuer))?.trusts).toMatchObject([
      {
        id: body.id,
        jwksUrls: [`${keys.origin}/a`, 'https://keys.example.org/b'],
        maps: [{ workspaceId: tenant.workspaceId }],
      },
    ]);
    expect(
      (await api.put(`/v1/trusts/${body.id}`, { key: tenant.adminKey, body: { status: 'disabled' } })).status,
    ).toBe(200);
    expect(await documentOf(issuer)).toBeNull();
  });

  it.each([
    [
      'a metadata address among the key sets',
      { jwks: undefined, jwks_uri: 'https://a.example/jwks,http://169.254.169.254/' },
      'jwks_uri',
    ],
    ['a private address', { jwks: undefined, jwks_uri: 'https://10.0.0.1/openid/v1/jwks' }, 'jwks_uri'],
    [
      'eleven addresses',
      {
        jwks: undefined,
        jwks_uri: Array.from({ length: 11 }, (_, i) => `https://a${String(i)}.example/`).join(),
      },
      'jwks_uri',
    ],
    ['an address and keys', { jwks_uri: 'https://a.example/jwks' }, 'jwks'],
    ['a weak key', { jwks: { keys: [rsaKeyPair('weak', 1_024).jwk] } }, 'jwks.keys.0'],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'x' }] } }, 'jwks.keys.0'],
    ['no audience', { audiences: [] }, 'audiences'],
    ['no map', { maps: [] }, 'maps'],
    ['an issuer over http', { issuer: 'http://idp.example.org' }, 'issuer'],
    [
      'a shared issuer without a condition',
      { issuer: 'https://token.actions.githubusercontent.com' },
      'conditions',
    ],
    [
      'a shared issuer with half of what pins it',
      {
        issuer: 'https://token.actions.githubusercontent.com',
        conditions: [{ claim: '/repository_owner_id', op: 'equals', value: '65' }],
      },
      'conditions',
    ],
    ['every tenant of Entra', { issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer'],
    [
      'a claim that is no pointer',
      { conditions: [{ claim: 'sub', op: 'equals', value: 'x' }] },
      'conditions.0',
    ],
    [
      'a pattern that cannot be read',
      { conditions: [{ claim: '/sub', op: 'regex', value: '(' }] },
      'conditions.0',
    ],
    [
      'a scope that tokens cannot hold',
      { maps: [{ scopes: ['organisation_settings.update'] }] },
      'maps.0.scopes',
    ],
    [
      'reserved metadata',
      { maps: [{ scopes: ['completions.write'], metadata: { _user: '/sub' } }] },
      'maps.0.metadata',
    ],
    ['an issuer that publishes no keys', { jwks: undefined, issuer: 'https://nothing.invalid' }, 'jwks_uri'],
  ])('refuses %s with the field', async (_what, more, param) => {
    const { status, body } = await create(more);
    expect([status, body.error.param]).toEqual([400, param]);
  });

  it('refuses a workspace of another organisation', async () => {
    const foreign = await create({ maps: [{ workspace: other.workspaceId, scopes: ['completions.write'] }] });
    expect([foreign.status, foreign.body.error.param]).toEqual([400, 'maps.0.workspace']);
  });

  it('lets organisations trust one issuer with separate audiences, in any order', async () => {
    const issuer = 'https://taken.example.org';
    const plain = { issuer, maps: [{ scopes: ['completions.write'] }] };
    const answers = await Promise.all([create(plain), create(plain, other.adminKey)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const later = answers[0]?.status === 400 ? tenant : other;
    expect(answers.find(({ status }) => status === 400)?.body.error.param).toBe('audiences.0');
    const own = { ...plain, audiences: [`${TOKEN_AUDIENCE}/${later.organisationId}`] };
    const made = await create(own, later.adminKey);
    expect(made.status).toBe(200);
    const put = (body: object): Promise<GatewayResponse<Failure>> =>
      api.put<Failure>(`/v1/trusts/${made.body.id}`, { key: later.adminKey, body });
    const taken = await put({ audiences: [...own.audiences, TOKEN_AUDIENCE] });
    expect([taken.status, taken.body.error.param]).toEqual([400, 'audiences.1']);
    expect((await put({ max_ttl: 600 })).status).toBe(200);
  });

  it('requires an audience of the organisation for a shared issuer while other organisations trust it', async () => {
    const shared = {
      issuer: 'https://token.actions.githubusercontent.com',
      conditions: [
        { claim: '/repository_id', op: 'equals', value: '74' },
        { claim: '/repository_owner_id', op: 'equals', value: '65' },
      ],
    };
    const { status, body } = await create(shared);
    expect([status, body.error.param]).toEqual([400, 'audiences.0']);
    const audiences = [`${TOKEN_AUDIENCE}/${tenant.organisationId}`];
    expect((await create({ ...shared, audiences })).status).toBe(200);
    const maps = [{ workspace: other.workspaceId, scopes: ['completions.write'] }];
    const theirs = { ...shared, maps, audiences: [`${TOKEN_AUDIENCE}/${other.organisationId}`] };
    expect((await create(theirs, other.adminKey)).status).toBe(200);
  });

  /** Returns a session of an admin who may not view logs. */
  const adminWithoutLogs = async (): Promise<string> => {
    const { email } = await api.user(tenant.organisationId, 'admin');
    const token = await api.login(email);
    const path = '/v1/admin/organisation/settings';
    const shown = await api.get<{ security_settings: object }>(path, { key: tenant.adminKey });
    const security_settings = { ...shown.body.security_settings, organisationAdminsViewLogs: false };
    await api.put(path, { key: tenant.adminKey, body: { security_settings } });
    return token;
  };

  it('gives no caller scopes that the caller lacks', async () => {
    const token = await adminWithoutLogs();
    const body = fields({ issuer: 'https://rights.example.org', maps: [{ scopes: ['logs.view'] }] });
    const refused = await api.post<Failure>('/v1/trusts', { token, body });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_exceeds_creator']);
  });

  it('refuses a change that keeps maps with scopes that the caller lacks, but allows the end of the trust', async () => {
    const token = await adminWithoutLogs();
    const maps = [{ scopes: ['completions.write'] }, { scopes: ['logs.view'] }];
    const { body: made } = await create({ issuer: 'https://kept.example.org', maps });
    const put = async (body: object): Promise<unknown[]> => {
      const answer = await api.put<Failure>(`/v1/trusts/${made.id}`, { token, body });
      return [answer.status, answer.status === 200 ? null : answer.body.error.type];
    };
    const own = { keys: [rsaKeyPair('mine').jwk] };
    for (const change of [
      { jwks: own },
      { jwks_uri: 'https://mine.example.org/jwks' },
      { issuer: 'https://mine.example.org', jwks: own },
      { audiences: ['https://mine.example.org'] },
      { algorithms: ['ES256'] },
      { conditions: [{ claim: '/sub', op: 'equals', value: 'me' }] },
      { kind: 'workload' },
      { max_ttl: 60 },
      { name: 'mine' },
      { status: 'active' },
      { status: 'disabled', jwks: own },
    ]) {
      expect([change, ...(await put(change))]).toEqual([change, 403, 'scope_exceeds_creator']);
    }
    expect(await put({ status: 'disabled' })).toEqual([200, null]);
    expect(await put({ status: 'active' })).toEqual([403, 'scope_exceeds_creator']);
    expect(await put({ jwks: own, maps: [{ scopes: ['completions.write'] }] })).toEqual([200, null]);
    expect(await put({ status: 'active' })).toEqual([200, null]);
  });

  it('shows in a test which check a token fails and what it would give, and stores none of it', async () => {
    const issuer = 'https://tested.example.org';
    const { body } = await create({
      issuer,
      maps: [{ scopes: ['completions.write'], metadata: { team: '/team' } }],
    });
    const claims = {
      iss: issuer,
      aud: TOKEN_AUDIENCE,
      sub: 'u1',
      exp: now() + 60,
      gw_workspace: 'main',
      team: 'search',
    };
    const test = async (
      token: string,
    ): Promise<{ accepted: boolean; caller: unknown; steps: { check: string; outcome: string }[] }> =>
      (await api.post<never>(`/v1/trusts/${body.id}/test`, { key: tenant.adminKey, body: { token } })).body;
    const token = signedToken(KEY, claims);
    expect(await test(token)).toMatchObject({
      accepted: true,
      caller: {
        workspace: 'main',
        scopes: ['completions.write'],
        metadata: { team: 'search' },
        user_id: 'u1',
      },
    });
    const { accepted, steps } = await test(signedToken(rsaKeyPair('k1'), claims));
    expect([accepted, steps.find(({ outcome }) => outcome === 'failed')?.check]).toEqual([
      false,
      'signature',
    ]);
    const rows = await api.dataSource.query<unknown[]>('SELECT * FROM audit_logs');
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});
