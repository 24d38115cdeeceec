import { readSettings, SettingsError } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { ADMIN_SETTINGS } from './settings';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from './spec-support/admin-api';

interface PolicyCase {
  readonly id: string;
  readonly endpoint: string;
  readonly reason: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly expect: 'accept' | 'reject' | 'either';
}

const { cases } = readCases('policies.json') as { readonly cases: readonly PolicyCase[] };
const titled = (...endpoints: string[]): [string, PolicyCase][] =>
  cases
    .filter(({ endpoint }) => endpoints.includes(endpoint))
    .map((one) => [`${one.id}: ${one.expect}s ${one.reason}`, one]);

/** Returns the body of a call: all members except those that describe the situation. */
const bodyOf = ({ body }: PolicyCase): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !name.startsWith('_')));

describe('cases of the specification for rotation settings, keys and users', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  let member: { readonly id: string; readonly token: string };
  let other: string;
  beforeEach(async () => {
    ours = await admin.tenant();
    const { id, email } = await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
    member = { id, token: await admin.login(email) };
    other = (await admin.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' })).id;
  });

  const settle = (settings: object): Promise<{ status: number }> =>
    admin.put('/v1/admin/organisation/settings', { key: ours.adminKey, body: { settings } });
  const KEY = { name: 'mine', scopes: ['completions.write'] };
  const createKey = async (body: object): Promise<{ status: number; body: { id: string } }> =>
    admin.post('/v1/api-keys/workspace/user', { token: member.token, body: { ...KEY, ...body } });

  function assertAs({ expect: wanted }: PolicyCase, status: number): void {
    const outcome = status === 200 ? 'accept' : [400, 403].includes(status) ? 'reject' : status;
    expect(wanted === 'either' ? ['accept', 'reject'] : [wanted]).toContain(outcome);
  }

  it.each(titled('rotation settings'))('%s', async (_title, one) => {
    const enforced = one.body['_org_enforced_days'];
    if (enforced !== undefined) await settle({ user_api_key_rotation_period: enforced });
    const body = bodyOf(one);
    const { status } =
      'user_api_key_rotation_period' in body
        ? await settle(body)
        : await createKey({ rotation_policy: body });
    assertAs(one, status);
  });

  it.each(titled('POST api-keys (user key)', 'POST api-keys'))('%s', async (_title, one) => {
    const text = JSON.stringify(bodyOf(one)).replace('<OTHER_USER>', other);
    assertAs(one, (await createKey(JSON.parse(text) as object)).status);
  });

  it.each(titled('PUT api-keys/{id}'))('%s', async (_title, one) => {
    const { body: made } = await createKey({});
    const call = { token: member.token, body: bodyOf(one) };
    assertAs(one, (await admin.put(`/v1/api-keys/${made.id}`, call)).status);
  });

  it.each(titled('PUT users/{id}'))('%s', async (_title, one) => {
    const call = { token: member.token, body: bodyOf(one) };
    assertAs(one, (await admin.put(`/v1/users/${member.id}`, call)).status);
  });
});

describe('cases of the specification for environment settings', () => {
  const names = [
    'DB_SSL',
    'DB_POOL_SIZE',
    'GUARDRAILS_ENABLED',
    'API_KEY_PREFIX',
    'HTTPS_PROXY',
    'SCIM_MEMBERSHIP_USER_MODE',
  ];

  it.each(titled(...names.map((name) => `env ${name}`)))('[ENV-09] %s', (_title, one) => {
    const read = (): unknown =>
      readSettings(ADMIN_SETTINGS, {
        DATABASE_URL: 'postgres://localhost/tollgate',
        ENCRYPTION_KEY: MASTER_KEY.toString('base64'),
        SERVICE_TOKEN,
        ...(one.body as Record<string, string>),
      });
    let refusal: unknown = null;
    try {
      read();
    } catch (error) {
      refusal = error;
    }
    const outcome = refusal === null ? 'accept' : 'reject';
    expect([outcome, 'either']).toContain(one.expect);
    if (refusal === null) return;
    const [name = ''] = Object.keys(one.body);
    expect(refusal).toBeInstanceOf(SettingsError);
    expect((refusal as SettingsError).message).toContain(name);
  });
});
