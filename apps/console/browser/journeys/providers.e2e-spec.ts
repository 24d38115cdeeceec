import { eventually, startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsInThemes, findingsOf } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { chat } from '../support/requests';

const SECRET = 'sk-journey-3fa9c1d7';

describe('virtual keys and the playground', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let page: Page;
  let workspace: string;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    opened = await browser.open();
    page = opened.page;
    await page.goto(consoleLinkOf(product.printed));
    await page.waitForURL(/\/console\/w\/[^/]+\/?$/);
    workspace = page.url().replace(/\/$/, '');
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const region = (name: string) => page.getByRole('region', { name });
  const send = (): Promise<void> => page.keyboard.press('Control+Enter');
  /** Checks the page in both themes after the steps of a test. */
  const expectAccessible = async (): Promise<void> => expect(await findingsInThemes(page)).toEqual([]);

  it('creates a virtual key that the gateway accepts immediately', async () => {
    await page.goto(`${workspace}/providers/new?by=sandbox`);
    const name = page.getByRole('textbox', { name: /^Name/ });
    await name.fill('Sandbox of old');
    await page.getByRole('radio', { name: 'Virtual key' }).check();
    await expectAccessible();
    await page.getByRole('button', { name: 'Save and open' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sandbox of old' }).waitFor();
    await region('Virtual key').getByText('@sandbox-of-old').waitFor();
    await expectAccessible();
    const model = { model: 'sandbox-small' };
    const way = { 'x-gw-provider': '@sandbox-of-old' };
    await eventually(async () => (await chat(product, model, way)).status === 200);
    await page.goto(`${workspace}/providers`);
    await page.getByRole('link', { name: 'Sandbox of old' }).waitFor();
  });

  it('uses a virtual key through a draft config in the playground, and shows the raw exchange without the key', async () => {
    await page.goto(`${workspace}/playground?c=draft/sandbox-small`);
    await page
      .getByRole('textbox', { name: 'Draft of a config' })
      .fill('{"provider": "@sandbox-of-old", "retry": {"attempts": 1}}');
    await page.getByRole('textbox', { name: 'User, message 1' }).fill('Say hello.');
    await send();
    const column = region('Column 1');
    await column.getByText('200', { exact: true }).waitFor();
    await column.getByRole('radiogroup', { name: 'View of column 1' }).getByText('Raw').click();
    await column
      .getByRole('region', { name: 'As sent', exact: true })
      .getByText(/x-gw-config/)
      .waitFor();
    await column
      .getByRole('region', { name: 'Body as received' })
      .getByText(/^data: \[DONE\]/)
      .waitFor();
    await expectAccessible();
    const shown = await column.innerText();
    expect(shown).toContain('x-gw-config: {"provider":"@sandbox-of-old","retry":{"attempts":1}}');
    expect(shown).toContain('x-gw-api-key: (the key of this session)');
    expect(page.url()).not.toContain('retry');
  });

  it('sends embeddings and a raw call of any gateway path', async () => {
    await page.goto(`${workspace}/playground?api=embeddings&c=@sandbox/sandbox-small`);
    await page.getByRole('textbox', { name: 'Input' }).fill('A toll gate');
    await send();
    await region('Column 1').getByText('200', { exact: true }).waitFor();
    await expectAccessible();
    await page.goto(`${workspace}/playground?api=raw&c=@sandbox/`);
    await page.getByRole('combobox', { name: 'Method' }).click();
    await page.getByRole('option', { name: 'GET' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('/models');
    await send();
    await region('Answer 1').getByText('sandbox-large').first().waitFor();
    await expectAccessible();
  });

  it('imports a pasted curl command without its key', async () => {
    await page.goto(`${workspace}/playground`);
    await page.getByRole('button', { name: 'Paste curl' }).click();
    const dialog = page.getByRole('dialog', { name: 'Paste a curl command' });
    await dialog.getByRole('textbox', { name: 'Command' }).fill(
      `curl ${product.baseUrl}/chat/completions -H 'authorization: Bearer ${SECRET}' \\
        -H 'x-gw-provider: @sandbox' -d '{"model":"sandbox-small","messages":[{"role":"user","content":"Hi"}]}'`,
    );
    expect(await findingsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Take it over' }).click();
    await page.waitForURL(/c=@sandbox\/sandbox-small/);
    await send();
    await region('Column 1').getByText('200', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(opened.requests.filter((url) => url.includes(SECRET))).toEqual([]);
    // Chromium reports the 404 of the provider read, because the slug belongs to a virtual key.
    expect(opened.faults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });
});
