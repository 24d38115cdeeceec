import { OrganisationDomainEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { CLI_CLIENT } from '@gw/oauth';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { OidcProvider } from '../logins/spec-support/oidc-provider';
import { Browser, fieldOf } from './spec-support/browser';
import { OauthJourney, PUBLIC_URL, RESOURCE, formOf, type Begun } from './spec-support/oauth-journey';

const SECRET = 'a secret of the provider, long enough';
const DOMAIN = 'sso.example';
const EMAIL = `ann@${DOMAIN}`;

describe('pages of the OAuth server with single sign-on', () => {
  let idp: OidcProvider;
  const api = new TestAdminApi({ PUBLIC_URL, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const tenant = api.sharedTenant();
  const journey = new OauthJourney(api);
  beforeAll(async () => {
    const client = { client_id: 'tollgate', client_secret: SECRET };
    idp = await OidcProvider.start([{ ...client, redirect_uris: [`${PUBLIC_URL}/v2/auth/callback`] }]);
    await api.dataSource.manager.insert(OrganisationDomainEntity, {
      ...{ id: uuidv7(), organisationId: tenant.organisationId, domain: DOMAIN },
      ...{ token: 'x', verifiedAt: new Date() },
    });
    const { status, text } = await api.post('/v1/admin/organisation/sso-connections', {
      key: tenant.adminKey,
      body: {
        ...{ name: 'IdP', issuer: idp.issuer, ...client, domains: [DOMAIN], enforced: true },
        default_workspaces: [{ workspace: tenant.workspaceId, role: 'member' }],
      },
    });
    if (status !== 200) throw new Error(text);
  });
  afterAll(() => idp.stop());

  const signIn = (path: string, browser: Browser, more: Readonly<Record<string, string>>, email = EMAIL) =>
    browser.submit(path, { ...more, step: 'sign_in', email, password: '' });

  /**
   * Logs in at the identity provider to which a page sends the browser, and returns the URL to
   * which the browser returns.
   */
  async function atProvider(page: GatewayResponse, email = EMAIL): Promise<string> {
    const url = /url=([^"]+)"/.exec(page.text)?.[1]?.replaceAll('&#38;', '&') ?? '';
    const query = await idp.logIn(url, `sub of ${email}`, { email, email_verified: true });
    const returned = await api.get(`/v2/auth/callback?${query}`);
    expect(returned.status).toBe(303);
    return String(returned.headers['location']);
  }

  async function begun(): Promise<Begun> {
    return journey.begin(await journey.clientId());
  }

  it('sign in a user whose organisation enforces it, and issue a token after consent', async () => {
    const request = await begun();
    const refused = await journey.signIn(request, EMAIL);
    expect(refused.status).toBe(401);
    const { browser, resumeState } = request;
    const sent = await signIn('/oauth/consent', browser, { resume_state: resumeState });
    const back = await atProvider(sent);
    expect(back).toMatch(`${PUBLIC_URL}/oauth/consent?resume_state=${resumeState}&sso_code=`);
    const resumed = await browser.open(back);
    expect([resumed.status, resumed.headers['location']]).toEqual([
      303,
      `/oauth/consent?resume_state=${resumeState}`,
    ]);
    const page = await browser.open(String(resumed.headers['location']));
    expect(page.text).toContain(`signed in as <strong>${EMAIL}</strong>`);
    const query = await journey.resume(
      request,
      await journey.decide(request, page, 'approve', tenant.workspaceId),
    );
    const { status, body } = await journey.exchange(request, query.get('code') ?? '');
    expect([status, body.scope]).toEqual([200, 'completions.write']);
    // The code of the login works once.
    expect((await browser.open(back)).status).toBe(401);
  });

  it('finish a login only in the browser that started it', async () => {
    const [mine, other] = [await begun(), await begun()];
    const sent = await signIn('/oauth/consent', mine.browser, { resume_state: mine.resumeState });
    const stolen = new URL(await atProvider(sent));
    stolen.searchParams.set('resume_state', other.resumeState);
    const response = await other.browser.open(stolen.href);
    expect([response.status, response.text]).toEqual([
      401,
      expect.stringContaining('This browser has not begun the login'),
    ]);
    const page = await other.browser.open(`/oauth/consent?resume_state=${other.resumeState}`);
    expect(page.text).toContain('Sign in');
  });

  it('ask for a password when an address has no single sign-on', async () => {
    const { browser, resumeState } = await begun();
    const page = await signIn('/oauth/consent', browser, { resume_state: resumeState }, 'ann@other.example');
    expect([page.status, page.text]).toEqual([
      400,
      expect.stringContaining('there is no single sign-on for this address'),
    ]);
  });

  it('connect a device', async () => {
    const { body } = await api.post<{ user_code: string }>('/oauth/device', {
      body: formOf({ client_id: CLI_CLIENT.id, resource: RESOURCE, scope: 'completions.write' }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const browser = new Browser(api);
    const code = body.user_code;
    const first = await browser.open(`/oauth/activate?user_code=${code}`);
    const form = fieldOf(first.text, 'form');
    const back = await atProvider(await signIn('/oauth/activate', browser, { form, user_code: code }));
    const resumed = await browser.open(back);
    const page = await browser.open(String(resumed.headers['location']));
    expect(page.text).toContain(`signed in as <strong>${EMAIL}</strong>`);
    const end = await browser.submit('/oauth/activate', {
      ...{ form, user_code: code, csrf: fieldOf(page.text, 'csrf') },
      ...{ step: 'approve', workspace_id: tenant.workspaceId },
    });
    expect(end.text).toContain('it is connected');
  });
});
