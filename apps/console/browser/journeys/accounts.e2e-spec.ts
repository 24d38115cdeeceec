import { eventually, freePort, NameServer, startProduct, type Product } from '@gw/testing';
import { generateSync } from 'otplib';
import type { Page } from 'playwright-core';
import { findingsInThemes, findingsOf } from '../support/accessibility';
import { addOrganisation, joinOrganisation, type AnotherOrganisation } from '../support/another-organisation';
import { ConsoleBrowser, type ConsolePage } from '../support/console-browser';
import { Keyboard } from '../support/hands';
import { Owner } from '../support/owner';
import { chat } from '../support/requests';
import { SamlProvider } from '../support/saml-provider';

const DOMAIN = 'acme.example';
const BOB = { email: 'bob@example.com', password: 'seven quiet lamps by the river' };
const AUTHENTICATOR = {
  protocol: 'ctap2',
  transport: 'internal',
  ...{ automaticPresenceSimulation: true, hasResidentKey: true },
  ...{ hasUserVerification: true, isUserVerified: true },
} as const;

describe('console accounts', () => {
  const browser = new ConsoleBrowser();
  let names: NameServer;
  let idp: SamlProvider;
  let product: Product;
  let origin: string;
  let beta: AnotherOrganisation;
  /** Secrets of one key in each organisation. */
  const secrets = { acme: '', beta: '' };
  let opened: ConsolePage;

  beforeAll(async () => {
    const port = await freePort();
    // Passkeys need a host name.
    origin = `http://localhost:${String(port)}`;
    [names, idp] = await Promise.all([NameServer.start(), SamlProvider.create()]);
    const environment = { ADMIN_PORT: String(port), CONSOLE_URL: origin, DNS_SERVERS: names.address };
    [product] = await Promise.all([startProduct({ environment }), browser.start()]);
    beta = await addOrganisation(product, 'Beta');
    const { workspace_id: workspaceId } = product.credentials;
    secrets.acme = await keyOf(await Owner.signIn(product), 'acme-key', workspaceId);
    secrets.beta = await keyOf(await Owner.signIn(product, beta.id), 'beta-key', beta.workspaceId);
    opened = await browser.open();
  });
  afterAll(async () => {
    await browser.stop();
    await Promise.all([product.stop(), names.stop()]);
  });

  async function keyOf(owner: Owner, name: string, workspace_id: string): Promise<string> {
    const made = await owner.call<{ readonly key: string }>('/api-keys/workspace/service', {
      ...{ name, workspace_id, scopes: ['completions.write'] },
    });
    return made.key;
  }
  async function admin<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${product.adminUrl}/v1${path}`, {
      method,
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': product.credentials.admin_api_key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
    return (await response.json()) as T;
  }
  const inWorkspace = (path: string): string =>
    `${origin}/console/w/${product.credentials.workspace_slug}/${path}`;
  const send = (secret: string, model: string) =>
    chat(product, { model }, { authorization: `Bearer ${secret}` });
  const press = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('button', { name }).click();
  async function signIn(page: Page, { email, password }: typeof BOB): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  const owner = () => {
    const { owner_email: email, owner_password: password } = product.credentials;
    return { email, password };
  };

  it('asks a user of two organisations which one to open, and shows only data of that one', async () => {
    const { page } = opened;
    await page.goto(inWorkspace('keys'));
    await signIn(page, owner());
    await page.getByText('You belong to several organisations.').waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    await press(page, /^Beta/);
    await page.getByText('beta-key').waitFor();
    expect(page.url()).toBe(inWorkspace('keys'));
    expect(await page.getByText('acme-key').count()).toBe(0);
    await page.keyboard.press('Control+k');
    const search = page.getByPlaceholder('Name, id, page');
    await search.fill('-key');
    await page.locator('[data-hit^="keys "]').filter({ hasText: 'beta-key' }).waitFor();
    expect(await page.locator('[data-hit]').filter({ hasText: 'acme-key' }).count()).toBe(0);
    await page.keyboard.press('Escape');
  });

  it('shows only logs of the open organisation in the tail', async () => {
    const { page } = opened;
    await page.goto(inWorkspace('logs?live=1'));
    await page.getByText('live', { exact: true }).waitFor();
    await send(secrets.acme, 'sandbox-large');
    await send(secrets.beta, 'sandbox-small');
    const rows = page.getByRole('grid', { name: 'Logs' }).getByRole('row');
    await rows.filter({ hasText: 'sandbox-small' }).first().waitFor();
    expect(await rows.filter({ hasText: 'sandbox-large' }).count()).toBe(0);
  });

  it('switches organisations by keyboard and removes all data of the first one', async () => {
    const { page, context, requests } = opened;
    const second = await context.newPage();
    await second.goto(inWorkspace('keys'));
    await second.getByText('beta-key').waitFor();
    const before = requests.length;
    await page.bringToFront();
    const hands = new Keyboard(page);
    await hands.chord('w');
    await hands.press(page.getByRole('menuitem', { name: /owner$/ }));
    await page.waitForURL(/\/console\/w\/[^/]+\/?$/);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByText('acme-key').waitFor();
    expect(await page.getByText('beta-key').count()).toBe(0);
    // Only calls after the switch count, because the old page may still be ending its calls.
    const since = requests.slice(before);
    const after = since.slice(since.lastIndexOf(`${origin}/v1/auth/organisation`));
    expect(after.filter((url) => url.includes(beta.workspaceId))).toEqual([]);
    const kept = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).not.toContain(beta.workspaceId);
    // The other tab belongs to Beta, so it hides its data.
    await second.getByRole('dialog', { name: 'Another session' }).waitFor();
    expect(await second.getByText('beta-key').isVisible()).toBe(false);
    expect(await findingsOf(second)).toEqual([]);
    await second.close();
  });

  it('adds a passkey with which the user signs in without a password', async () => {
    const { page, context } = opened;
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    await page.goto(`${origin}/console/me/factors`);
    await press(page, 'Add a second factor');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Laptop');
    await dialog.getByRole('textbox', { name: 'Password' }).fill(owner().password);
    expect(await findingsInThemes(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('tollgate-recovery-codes.txt');
    await dialog.getByLabel('I have kept them').check();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('row', { name: /^Laptop/ }).waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    await press(page, /^Account of/);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await press(page, 'Use a passkey');
    await press(page, /^(?!Beta).*Owner$/);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });

  it('makes a user without a required second factor add one, by keyboard only, before it opens the page', async () => {
    const { workspace_id: id } = product.credentials;
    const { invite_link: link } = await admin<{ invite_link: string }>('POST', '/admin/users/invites', {
      ...{ email: BOB.email, role: 'member', workspaces: [{ id, role: 'manager' }] },
    });
    await admin('POST', '/invites/accept', { token: link.split('/').at(-1), password: BOB.password });
    // Only a session with a second factor may require second factors.
    const { request } = opened.context;
    const required = await request.put(`${origin}/v1/admin/organisation/settings`, {
      headers: { 'x-gw-console': '1' },
      data: { session_settings: { require_mfa: true } },
    });
    expect([required.status(), required.ok() ? '' : await required.text()]).toEqual([200, '']);

    const { page, faults } = await browser.open();
    const hands = new Keyboard(page);
    await hands.watch();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.goto(inWorkspace('keys?q=acme'));
    await hands.fill(page.getByLabel('Email'), BOB.email);
    await hands.fill(page.getByRole('textbox', { name: 'Password' }), BOB.password);
    await hands.press(button('Sign in'));
    await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    await hands.fill(page.getByRole('textbox', { name: 'Password' }), BOB.password);
    await hands.press(button('Set up an authenticator app'));
    const secret = (await page.locator('.reveal-secret code').innerText()).replaceAll(' ', '');
    expect(await page.getByRole('link').getAttribute('href')).toContain(`secret=${secret}`);
    expect(await findingsInThemes(page)).toEqual([]);
    await hands.fill(page.getByLabel('First code'), generateSync({ secret }));
    await hands.press(button('Confirm'));
    const code = await page
      .getByRole('group', { name: 'Recovery codes' })
      .locator('code')
      .first()
      .innerText();
    expect(await findingsInThemes(page)).toEqual([]);
    await hands.tick(page.getByLabel('I have kept them'));
    await hands.press(button('Continue'));
    await page.getByText('acme-key').waitFor();
    expect([page.url(), await hands.mouseEvents()]).toEqual([inWorkspace('keys?q=acme'), 0]);

    await page.context().clearCookies();
    await page.reload();
    await signIn(page, BOB);
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('acme-key').waitFor();
    // Chromium reports each response that refuses a missing session or factor.
    expect(faults.filter((fault) => !/40[13]/.test(fault))).toEqual([]);
  });

  it('lets a user without a required second factor open another organisation instead', async () => {
    const cara = { email: 'cara@example.com', password: 'nine slow boats on a lake' };
    const { invite_link: link } = await admin<{ invite_link: string }>('POST', '/admin/users/invites', {
      ...{ email: cara.email, role: 'member', workspaces: [] },
    });
    await admin('POST', '/invites/accept', { token: link.split('/').at(-1), password: cara.password });
    await joinOrganisation(product, beta, cara.email);
    const { page, faults } = await browser.open();
    await page.goto(inWorkspace('keys'));
    await signIn(page, cara);
    await press(page, /^(?!Beta).*Member$/);
    await page.getByRole('heading', { level: 1, name: 'Add a second factor' }).waitFor();
    await press(page, 'Open another organisation');
    expect(await findingsInThemes(page)).toEqual([]);
    await press(page, /^Beta/);
    await page.getByRole('button', { name: 'Workspace: Beta team' }).waitFor();
    expect(faults.filter((fault) => !/40[13]/.test(fault))).toEqual([]);
  });

  it('signs in by SAML and returns to the requested page', async () => {
    const domain = await admin<Record<'id' | 'record_name' | 'record_value', string>>(
      'POST',
      '/admin/organisation/domains',
      { domain: DOMAIN },
    );
    names.set(domain.record_name, [domain.record_value]);
    // The query for the record may time out on a busy machine.
    await eventually(() => admin<object>('POST', `/admin/organisation/domains/${domain.id}/verify`, {}));
    const { workspace_id: workspace } = product.credentials;
    const path = '/admin/organisation/sso-connections';
    const made = await admin<{ id: string }>('POST', path, {
      ...{ name: 'Acme SAML', type: 'saml', domains: [DOMAIN], saml: { metadata_xml: idp.metadata } },
      default_workspaces: [{ workspace, role: 'manager' }],
    });
    const sp = await admin<Record<'entity_id' | 'acs_url', string>>('GET', `${path}/${made.id}/sp`);
    idp.partner = { acsUrl: sp.acs_url, entityId: sp.entity_id };
    idp.email = `ann@${DOMAIN}`;
    const { page, context, faults } = await browser.open();
    await idp.serve(context);
    await page.goto(inWorkspace('keys?q=acme'));
    await page.getByLabel('Email').fill(idp.email);
    await page.getByRole('textbox', { name: 'Password' }).focus();
    await press(page, 'Sign in with Acme SAML');
    await page.getByRole('button', { name: `Account of ${idp.email}` }).waitFor();
    await page.getByText('acme-key').waitFor();
    // The organisation requires second factors only for sign-ins with a password.
    expect(page.url()).toBe(inWorkspace('keys?q=acme'));
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('causes no policy violation and no script error', () => {
    expect(opened.faults.filter((fault) => !/40[13]/.test(fault))).toEqual([]);
  });
});
