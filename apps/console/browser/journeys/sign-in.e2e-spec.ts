import { eventually, NameServer, startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsInThemes, findingsOf } from '../support/accessibility';
import { ConsoleBrowser, type ConsolePage } from '../support/console-browser';
import { IdentityProvider } from '../support/identity-provider';

const DOMAIN = 'acme.example';
/** Minimum lifetime of a session in seconds. */
const LIFE_S = 900;

describe('sign-in by single sign-on', () => {
  const browser = new ConsoleBrowser();
  let names: NameServer;
  let idp: IdentityProvider;
  let product: Product;
  let opened: ConsolePage;
  let connection: string;

  beforeAll(async () => {
    [names, idp] = await Promise.all([NameServer.start(), IdentityProvider.start()]);
    [product] = await Promise.all([
      startProduct({ environment: { DNS_SERVERS: names.address, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' } }),
      browser.start(),
    ]);
    idp.email = `ann@${DOMAIN}`;
    await verifyDomain();
    const { workspace_id: workspace } = product.credentials;
    const made = await admin<{ id: string }>('POST', '/v1/admin/organisation/sso-connections', {
      ...{
        name: 'Acme ID',
        issuer: idp.issuer,
        client_id: 'tollgate',
        client_secret: 'a secret, long enough',
      },
      ...{ domains: [DOMAIN], default_workspaces: [{ workspace, role: 'manager' }] },
    });
    connection = made.id;
    opened = await browser.open();
  });
  afterAll(async () => {
    await browser.stop();
    await Promise.all([product.stop(), idp.stop(), names.stop()]);
  });

  async function admin<T>(method: string, path: string, body: object = {}): Promise<T> {
    const response = await fetch(`${product.adminUrl}${path}`, {
      method,
      redirect: 'error',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': product.credentials.admin_api_key },
      body: JSON.stringify(body),
    });
    expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([200, '']);
    return (await response.json()) as T;
  }
  async function verifyDomain(): Promise<void> {
    const path = '/v1/admin/organisation/domains';
    const made = await admin<Record<'id' | 'record_name' | 'record_value', string>>('POST', path, {
      domain: DOMAIN,
    });
    names.set(made.record_name, [made.record_value]);
    // The query for the record may time out on a busy machine.
    await eventually(() => admin<object>('POST', `${path}/${made.id}/verify`));
  }
  const addressOf = (path: string): string => `${product.adminUrl}/console/${path}`;
  const keys = (): string => `w/${product.credentials.workspace_slug}/keys`;
  const isSignedIn = (page: Page): Promise<void> =>
    page.getByRole('button', { name: `Account of ann@${DOMAIN}` }).waitFor();
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).click();

  it('leads from the requested page to the identity provider of the address, and back to the page', async () => {
    const { page } = opened;
    await page.goto(addressOf(`${keys()}?q=prod`));
    await page.getByRole('button', { name: 'Sign in with Acme ID' }).waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    await press(page, 'Use single sign-on');
    await page.getByLabel('Email').fill(idp.email);
    expect(await findingsOf(page)).toEqual([]);
    await press(page, 'Continue');
    await isSignedIn(page);
    expect(page.url()).toBe(addressOf(`${keys()}?q=prod`));
    const kept = await page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    expect(kept).not.toContain('binding');
  });

  it('refuses to finish a sign-in in another browser, and ignores a foreign return address', async () => {
    const other = await browser.open();
    await other.page.goto(addressOf('login/sso?code=stolen&return_path=//evil.example'));
    await other.page.getByText('This sign-in was started in another tab or browser.').waitFor();
    expect(other.page.url()).toBe(addressOf('login/sso'));
    await other.context.close();
  });

  it('ends and reopens the session of all tabs, whose pages keep their state', async () => {
    const { page, context } = opened;
    await page.goto(addressOf('me/preferences'));
    await isSignedIn(page);
    const other = await context.newPage();
    await other.goto(addressOf(keys()));
    await isSignedIn(other);
    await other.getByRole('button', { name: /Account of/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Sign in' });
    await dialog.getByText('You signed out in another tab.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
    expect(await findingsOf(page)).toEqual([]);
    const popup = context.waitForEvent('page');
    await dialog.getByRole('button', { name: 'Sign in with Acme ID' }).click();
    await (await popup).waitForEvent('close');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(page.url()).toBe(addressOf('me/preferences'));
    await isSignedIn(other);
    await other.close();
  });

  it('warns before the session ends, and renews it in a dialog over the page', async () => {
    const { page } = opened;
    const path = `/v1/admin/organisation/sso-connections/${connection}`;
    await admin('PUT', path, { max_session_ttl: LIFE_S });
    await press(page, 'Account of ann@acme.example');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await press(page, 'Sign in with Acme ID');
    await isSignedIn(page);
    expect(await page.getByText('Your session ends soon').count()).toBe(0);
    await page.clock.setSystemTime(Date.now() + (LIFE_S - 240) * 1_000);
    await page.reload();
    await page.getByText('Your session ends soon').waitFor();
    expect(await findingsInThemes(page)).toEqual([]);
    await admin('PUT', path, { max_session_ttl: null });
    await press(page, 'Sign in again');
    const popup = page.context().waitForEvent('page');
    await press(page, 'Sign in with Acme ID');
    await (await popup).waitForEvent('close');
    await page.getByText('Your session ends soon').waitFor({ state: 'detached' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('causes no policy violation and no script error', () => {
    // Chromium reports each call that is refused without a session.
    expect(opened.faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});
