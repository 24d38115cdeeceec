import { AuditLogEntity, OauthArtifactEntity } from '@gw/entities';
import { CLI_CLIENT, DEVICE_GRANT } from '@gw/oauth';
import { PASSWORD, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { Browser, fieldOf } from './spec-support/browser';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import { formOf, OauthJourney, PUBLIC_URL, RESOURCE, type TokenBody } from './spec-support/oauth-journey';

interface DeviceBody {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly interval: number;
  readonly expires_in: number;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PAGE = '/oauth/activate';

describe('device flow', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  let user: { readonly id: string; readonly email: string };
  beforeAll(async () => {
    user = await api.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
  });

  const begin = async (more: Readonly<Record<string, string>> = {}): Promise<GatewayResponse<DeviceBody>> => {
    const form = { client_id: CLI_CLIENT.id, resource: RESOURCE, scope: 'logs.list configs.create', ...more };
    return api.post('/oauth/device', { body: formOf(form), headers: FORM });
  };
  const poll = (code: string, clientId: string = CLI_CLIENT.id): Promise<GatewayResponse<TokenBody>> =>
    journey.token({ grant_type: DEVICE_GRANT, device_code: code, client_id: clientId });
  const pages = async (browser: Browser, userCode: string): Promise<GatewayResponse> => {
    const opened = await browser.open(PAGE);
    return browser.submit(PAGE, { form: fieldOf(opened.text, 'form'), step: 'code', user_code: userCode });
  };
  async function signedIn(browser: Browser, userCode: string, email = user.email): Promise<GatewayResponse> {
    const page = await pages(browser, userCode);
    const sent = await browser.submit(PAGE, {
      ...{
        form: fieldOf(page.text, 'form'),
        user_code: userCode,
        step: 'sign_in',
        email,
        password: PASSWORD,
      },
    });
    return sent.status === 303 ? browser.open(String(sent.headers['location'])) : sent;
  }
  const decide = (
    browser: Browser,
    page: GatewayResponse,
    step: 'approve' | 'deny',
    workspaceId = tenant.workspaceId,
  ): Promise<GatewayResponse> =>
    browser.submit(PAGE, {
      ...{ form: fieldOf(page.text, 'form'), user_code: fieldOf(page.text, 'user_code') },
      ...{ csrf: fieldOf(page.text, 'csrf'), step, workspace_id: workspaceId },
    });

  it('connects a device whose user enters its code, with the scopes that the user holds', async () => {
    const { status, body } = await begin();
    expect([status, body]).toMatchObject([
      200,
      {
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: PUBLIC_URL + PAGE,
        verification_uri_complete: `${PUBLIC_URL}${PAGE}?user_code=${body.user_code}`,
        ...{ interval: 5, expires_in: 600 },
      },
    ]);
    const browser = new Browser(api);
    // Case, spaces and the hyphen are ignored.
    const page = await signedIn(browser, ` ${body.user_code.toLowerCase().replace('-', ' ')}`);
    expect([page.status, page.text]).toEqual([
      200,
      expect.stringContaining('If a person sent you this code'),
    ]);
    for (const shown of [CLI_CLIENT.name, user.email, body.user_code, 'configs.create', '127.0.0.1'])
      expect(page.text).toContain(shown);
    const done = await decide(browser, page, 'approve');
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Go back to your device')]);
    const token = await poll(body.device_code);
    expect([token.status, token.body]).toMatchObject([
      200,
      { access_token: expect.stringMatching(/^pat_/), refresh_token: expect.stringMatching(/^prt_/) },
    ]);
    expect(token.body.scope.split(' ').sort()).toEqual(['configs.create', 'logs.list']);
    expect((await api.get('/v1/logs', { token: token.body.access_token })).status).toBe(200);
    expect((await journey.refresh(CLI_CLIENT.id, token.body.refresh_token)).status).toBe(200);
  });

  it('keeps a device waiting, slows down one that polls too often, and issues one token for a code', async () => {
    const { body } = await begin();
    await withStoppedClock(async () => {
      expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
      expect((await poll(body.device_code)).body.error).toBe('slow_down');
    });
    const other = (await begin()).body;
    const browser = new Browser(api);
    await decide(browser, await signedIn(browser, other.user_code), 'approve');
    const results = await Promise.all(Array.from({ length: 10 }, () => poll(other.device_code)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('ends the wait of a device whose user refused, and of a device whose code has expired', async () => {
    const refused = (await begin()).body;
    const browser = new Browser(api);
    const done = await decide(browser, await signedIn(browser, refused.user_code), 'deny');
    expect(done.text).toContain('Your device gets nothing');
    expect((await poll(refused.device_code)).body.error).toBe('access_denied');
    const late = (await begin()).body;
    await api.dataSource.manager.update(
      OauthArtifactEntity,
      { model: 'DeviceCode' },
      { expiresAt: new Date(Date.now() - 1) },
    );
    expect((await poll(late.device_code)).body.error).toMatch(/expired_token|invalid_grant/);
    expect((await pages(new Browser(api), late.user_code)).status).toBe(400);
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, {
      ...{ organisationId: tenant.organisationId, resourceType: 'oauth_grants', action: 'refuse' },
    });
    expect(rows).toHaveLength(1);
  });

  it('accepts one decision, from the browser and session of the page, for a workspace of the user', async () => {
    const { body } = await begin();
    const browser = new Browser(api);
    const page = await signedIn(browser, body.user_code);
    const foreign = await api.tenant();
    expect((await decide(browser, page, 'approve', foreign.workspaceId)).status).toBe(403);
    const [refusal] = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId: tenant.organisationId, resourceType: 'oauth_grants', action: 'approve' },
    });
    expect(refusal).toMatchObject({
      responseStatusCode: 403,
      after: { reason: 'Choose a workspace of yours.' },
    });
    expect((await decide(new Browser(api), page, 'approve')).status).toBe(403);
    const forged = { ...page, text: page.text.replace(fieldOf(page.text, 'csrf'), 'x'.repeat(43)) };
    expect((await decide(browser, forged, 'approve')).status).toBe(403);
    expect((await decide(browser, page, 'approve')).status).toBe(200);
    expect((await decide(browser, page, 'deny')).status).not.toBe(200);
    const other = new Browser(api);
    expect((await pages(other, body.user_code)).status).toBe(400);
  });

  it('does not throttle other devices of a network while many of its devices wait', async () => {
    const codes = Array.from({ length: 130 }, (_, at) => `unknown-device-code-${String(at)}`);
    const statuses = await Promise.all(codes.map(async (code) => (await poll(code)).status));
    expect(new Set(statuses)).toEqual(new Set([400]));
    const { body } = await begin();
    expect((await poll(body.device_code)).body.error).toBe('authorization_pending');
    expect((await journey.refresh(CLI_CLIENT.id, `prt_${'x'.repeat(43)}`)).status).toBe(400);
  });

  it("shows only the name of a request's client before a sign-in", async () => {
    const { body } = await begin();
    const page = await pages(new Browser(api), body.user_code);
    expect(page.text).toContain('Password');
    for (const hidden of ['configs.create', '127.0.0.1']) expect(page.text).not.toContain(hidden);
  });

  it('refuses a code of another client, a client without the grant type, and a request without a resource', async () => {
    const dynamic = await journey.clientId();
    expect((await begin({ client_id: dynamic })).status).toBe(400);
    const { body } = await begin();
    expect((await poll(body.device_code, dynamic)).status).toBe(400);
    const bare = { client_id: CLI_CLIENT.id, scope: 'logs.list' };
    const sent = await api.post('/oauth/device', { body: formOf(bare), headers: FORM });
    expect([sent.status, sent.body]).toMatchObject([400, { error: 'invalid_target' }]);
  });

  it('limits guesses of codes', async () => {
    const statuses: number[] = [];
    const browser = new Browser(api);
    await withStoppedClock(async () => {
      for (let guess = 0; guess < 40; guess += 1) statuses.push((await pages(browser, 'BCDF-GHJK')).status);
    });
    expect([statuses[0], statuses.at(-1)]).toEqual([400, 429]);
  });
});

describe('device flow with DEVICE_FLOW off', () => {
  const api = new TestAdminApi({ PUBLIC_URL, DEVICE_FLOW: 'false' });

  it('has neither endpoint nor page', async () => {
    const form = formOf({ client_id: CLI_CLIENT.id, resource: RESOURCE });
    const sent = await api.post('/oauth/device', { body: form, headers: FORM });
    expect([sent.status, (await api.get(PAGE)).status]).toEqual([404, 404]);
    const metadata = await api.get('/.well-known/oauth-authorization-server');
    expect(metadata.body).not.toHaveProperty('device_authorization_endpoint');
  });
});
