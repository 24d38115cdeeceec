import { eventually, startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsOf, inTheme } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';

describe('API key in the console', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let page: Page;
  /** Secrets that the console has shown, in order. */
  const secrets: string[] = [];

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    opened = await browser.open();
    page = opened.page;
    await page.goto(consoleLinkOf(product.printed));
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const press = (name: string | RegExp, at: Page = page): Promise<void> =>
    at.getByRole('button', { name }).click();
  const field = (name: string | RegExp, at: Page = page) => at.getByRole('textbox', { name });
  /** Reads the secret from the open dialog. */
  const takeSecret = async (): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: /shown once/ });
    const secret = await dialog.locator('.reveal-secret code').innerText();
    secrets.push(secret);
    return secret;
  };
  const closeReveal = async (): Promise<void> => {
    const dialog = page.getByRole('dialog', { name: /shown once/ });
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  const statusOf = async (secret: string): Promise<number> => {
    const response = await fetch(`${product.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-gw-api-key': secret, 'x-gw-provider': '@sandbox', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  /** Expects that no secret is in the page, its storage, or a requested URL. */
  const expectNoTraces = async (): Promise<void> => {
    const traces = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.title, location.href, document.documentElement.outerHTML])',
    );
    for (const secret of secrets) {
      expect(traces).not.toContain(secret);
      expect(opened.requests.filter((url) => url.includes(secret))).toEqual([]);
    }
  };

  it('creates a key with a budget in four steps, shows its secret once, and the gateway accepts it', async () => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('link', { name: 'New key' }).click();
    await field(/^Name/).fill('search-prod');
    await press('Next: what it may do');
    await press('Next: limits');
    await page.getByRole('switch', { name: 'Limit what it may spend' }).check({ force: true });
    await field('Amount').fill('500');
    await press('Create key');
    const secret = await takeSecret();
    await page.getByText('Waiting for its first request').waitFor();
    await eventually(async () => (await statusOf(secret)) === 200);
    await page.getByText('The first request arrived and was answered 200.').waitFor();
    await closeReveal();
    await page.getByRole('heading', { name: 'search-prod', level: 1 }).waitFor();
    await page.getByText(/of \$500.00 a month/).waitFor();
    await expectNoTraces();
  });

  it('rotates a key so that the old secret ends immediately', async () => {
    const [before = ''] = secrets;
    await press('Rotate');
    await press('End the old one now');
    const secret = await takeSecret();
    await page.getByText('The old secret no longer works.').waitFor();
    await closeReveal();
    await eventually(async () => (await statusOf(secret)) === 200);
    await eventually(async () => (await statusOf(before)) === 401);
    await expectNoTraces();
  });

  it('keeps the changes of two tabs to a key, and asks only about fields that both changed', async () => {
    const other = await opened.context.newPage();
    const address = page.url().replace(/\?.*$/, '');
    await Promise.all([page.goto(`${address}?tab=edit`), other.goto(`${address}?tab=edit`)]);
    await Promise.all([field(/^Name/).waitFor(), field(/^Name/, other).waitFor()]);
    await field('Description').fill('Of the search service');
    await field('Amount', other).fill('600');
    await press('Save 1 change');
    await page.getByText('Saved.').waitFor();
    await press('Save 1 change', other);
    await other.getByText('Saved.').waitFor();
    await eventually(
      async () => (await field('Description', other).inputValue()) === 'Of the search service',
    );

    await field('Amount').fill('700');
    await field(/^Name/).fill('search-main');
    await press('Save 2 changes');
    const dialog = page.getByRole('dialog', { name: /was changed while you edited it/ });
    await dialog.getByText('$600.00').first().waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save 2 fields' }).click();
    await page.getByText('Saved.').waitFor();
    await other.reload();
    await field('Amount', other).waitFor();
    await eventually(async () => {
      expect(await field('Amount', other).inputValue()).toBe('$700');
      expect(await field(/^Name/, other).inputValue()).toBe('search-main');
      return true;
    });
    await other.close();
  });

  it("shows the rest of a key's limits and the authors of its changes", async () => {
    const [address] = page.url().split('?');
    await page.goto(address ?? '');
    const headroom = page.getByRole('region', { name: 'Headroom' });
    await headroom.getByText(/^\$\d+\.\d+ left$/).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText(/^rotated API key/).waitFor();
    await history.getByText(/^raised the budget of search-prod from \$500.00 to \$600.00/).waitFor();
    await history.getByText(/^created API key search-prod/).waitFor();
    await history.getByRole('link', { name: 'In the audit log' }).click();
    await page
      .getByRole('grid', { name: 'Audit records' })
      .getByText(/^rotated API key/)
      .waitFor();
    expect(await findingsOf(page)).toEqual([]);
    await page.goto(address ?? '');
    await expectNoTraces();
  });

  it('finds a key by search, and its pages have no accessibility findings in either theme', async () => {
    const list = page.url().replace(/\/keys\/.*$/, '/keys');
    for (const theme of ['light', 'dark'] as const) {
      await page.goto(`${list}?q=search-m`);
      await inTheme(page, theme);
      await page.getByRole('link', { name: 'search-main' }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.goto(`${list}/new?tab=limits`);
      await page.getByRole('heading', { name: 'Budget' }).waitFor();
      expect(await findingsOf(page)).toEqual([]);
      await page.goto(list);
      await page.getByRole('link', { name: 'search-main' }).click();
      await page.getByRole('tab', { name: 'Settings' }).click();
      await field(/^Name/).waitFor();
      expect(await findingsOf(page)).toEqual([]);
    }
  });

  it('deletes a key in use only after its name was typed', async () => {
    await press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Delete search-main' });
    await dialog.getByRole('textbox').fill('search-main');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/\/keys\/?$/);
    const [, secret = ''] = secrets;
    await eventually(async () => (await statusOf(secret)) === 401);
    await expectNoTraces();
    // Chromium reports the refused save of the second tab.
    expect(opened.faults.filter((fault) => !fault.includes('412'))).toEqual([]);
  });
});
