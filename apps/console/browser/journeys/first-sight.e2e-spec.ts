import { startProduct, type Product } from '@gw/testing';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';

describe('console sign-in', () => {
  const browser = new ConsoleBrowser();
  let product: Product;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const isOurs = (url: string): boolean =>
    [product.adminUrl, product.baseUrl.replace(/\/v1$/, '')].some((origin) => url.startsWith(origin));
  /** Expects that the page had no error and called no other host. */
  const expectClean = ({ faults, requests }: ConsolePage): void => {
    expect(faults).toEqual([]);
    expect(requests.filter((url) => !isOurs(url))).toEqual([]);
  };

  it('signs in by the printed link and leaves no trace of its token', async () => {
    const opened = await browser.open();
    const { page, requests } = opened;
    const link = consoleLinkOf(product.printed);
    const [, token = ''] = link.split('#claim=');
    expect(token).toMatch(/^\w{48}$/);
    await page.goto(link);
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' }).waitFor();
    await page.waitForURL(/\/console\/w\/[^/]+\/?$/);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Name, id, page').fill('home');
    await page.getByRole('button', { name: 'Home' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'All keys' }).click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    const traces = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.body.innerHTML])',
    );
    expect(traces).not.toContain(token);
    expect(page.url()).not.toContain(token);
    expect(requests.filter((url) => url.includes(token))).toEqual([]);
    expectClean(opened);
  });

  it('asks for email and password without the link, and reports a wrong password', async () => {
    const opened = await browser.open({ colorScheme: 'dark' });
    const { page, faults } = opened;
    await page.goto(`${product.adminUrl}/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const { owner_email: email, owner_password: password } = product.credentials;
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${product.adminUrl}/console/w/${product.credentials.workspace_slug}`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Chromium reports the refused calls: before the sign-in, and with the wrong password.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
    expectClean({ ...opened, faults: [] });
  });

  it('refuses a link that was already used, and offers the sign-in form', async () => {
    const { page } = await browser.open();
    await page.goto(consoleLinkOf(product.printed));
    await page.getByText('The link does not work any more.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
