import { startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsInThemes } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { chat } from '../support/requests';

describe('The shell of the console', () => {
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

  it('has a bell with what needs the user', async () => {
    await page.goto(addressOf('keys'));
    await page.getByRole('button', { name: /^Alerts/ }).click();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.getByText('Nothing needs you').waitFor();
    await expectNoFindings();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor({ state: 'detached' });
  });

  it('has a palette that finds a provider and what can be done with it, by the keyboard alone', async () => {
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

  it('has one stream for tabs with the same logs, which goes on when its tab is closed', async () => {
    const other = await opened.context.newPage();
    const streams: string[] = [];
    opened.context.on('request', (request) => {
      if (request.url().includes('/v1/logs/tail')) streams.push(request.url());
    });
    const rowsOf = (at: Page) => at.getByRole('grid', { name: 'Logs' }).getByRole('row');
    const send = async (): Promise<void> => {
      expect((await chat(product, { model: '@sandbox/sandbox-small' })).status).toBe(200);
    };
    // A list without any row has no grid.
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

  it('violates no policy and has no error', () => {
    expect(opened.faults).toEqual([]);
  });
});
