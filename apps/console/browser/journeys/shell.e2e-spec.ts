import { startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsInThemes } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { chat } from '../support/requests';

describe('console shell', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let page: Page;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    opened = await browser.open();
    page = opened.page;
    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const addressOf = (path: string): string =>
    `${product.adminUrl}/console/w/${product.credentials.workspace_slug}/${path}`;
  const expectNoFindings = async (): Promise<void> => expect(await findingsInThemes(page)).toEqual([]);

  it('shows the alerts of *Needs you* in the bell', async () => {
    await page.goto(addressOf('keys'));
    await page.getByRole('button', { name: /^Alerts/ }).click();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.getByText('Nothing needs you').waitFor();
    await expectNoFindings();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor({ state: 'detached' });
  });

  it('finds a provider and its actions in the palette, by keyboard only', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Name, id, page').fill('sandbox');
    await page.locator('[data-selected][data-hit^="providers "]').waitFor();
    await expectNoFindings();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: /^Open / }).waitFor();
    await expectNoFindings();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/providers\/sandbox$/);
  });

  it('shows the page and a drawer with its navigation in a narrow window', async () => {
    await page.setViewportSize({ width: 800, height: 900 });
    await page.goto(addressOf('keys'));
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    expect(await navigation.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Open the pages' }).click();
    await navigation.getByRole('link', { name: 'Providers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('shares one stream between tabs with the same logs, which continues when its tab is closed', async () => {
    const other = await opened.context.newPage();
    const streams: string[] = [];
    opened.context.on('request', (request) => {
      if (request.url().includes('/v1/logs/tail')) streams.push(request.url());
    });
    const rowsOf = (at: Page) => at.getByRole('grid', { name: 'Logs' }).getByRole('row');
    const send = async (): Promise<void> => {
      expect((await chat(product, { model: '@sandbox/sandbox-small' })).status).toBe(200);
    };
    // The first request fills the list, because an empty list has no grid.
    await send();
    for (const at of [page, other]) {
      await at.goto(addressOf('logs?live=1'));
      await at.getByRole('grid', { name: 'Logs' }).waitFor();
    }
    await send();
    for (const at of [page, other]) await rowsOf(at).filter({ hasText: 'sandbox-small' }).nth(1).waitFor();
    expect(streams).toHaveLength(1);
    await page.goto(addressOf('keys'));
    await send();
    await rowsOf(other).filter({ hasText: 'sandbox-small' }).nth(2).waitFor();
    await other.close();
  });

  it('causes no policy violation and no script error', () => {
    expect(opened.faults).toEqual([]);
  });
});
