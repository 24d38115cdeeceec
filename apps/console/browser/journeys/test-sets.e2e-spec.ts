import { startProduct, StubProvider, type Product } from '@gw/testing';
import type { Locator } from 'playwright-core';
import { findingsInThemes } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { Owner } from '../support/owner';
import { chat, stored } from '../support/requests';

describe('test sets of the playground', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  /** Stub of a provider that transcribes audio. */
  let stub: StubProvider;
  let opened: ConsolePage;

  beforeAll(async () => {
    [product, stub] = await Promise.all([
      startProduct({ environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' } }),
      StubProvider.start(),
      browser.start(),
    ]);
    stub.respond(() => ({ body: { text: 'Good morning.' } }));
    await (
      await Owner.signIn(product)
    ).call('/integrations', {
      ...{ ai_provider_id: 'openai', name: 'Stub', slug: 'stub', default_provider_slug: 'stub' },
      ...{ key: 'sk-0123456789abcdef', configurations: { custom_host: `${stub.origin}/v1` } },
      workspace_id: product.credentials.workspace_id,
    });
    opened = await browser.open();
    for (const [content, model] of [
      ['A secret about Oslo', 'sandbox-small'],
      ['A secret about Rome', 'sandbox-large'],
    ] as const)
      await stored(product, [
        await chat(
          product,
          { model, messages: [{ role: 'user', content }] },
          { 'x-gw-provider': '@sandbox' },
        ),
      ]);
    await opened.page.goto(consoleLinkOf(product.printed));
    await opened.page.getByRole('button', { name: 'Skip to the overview' }).click();
  });
  afterAll(async () => {
    await browser.stop();
    await Promise.all([product.stop(), stub.stop()]);
  });

  const address = (path: string): string =>
    `${product.adminUrl}/console/w/${product.credentials.workspace_slug}${path}`;
  const pane = (): Locator => opened.page.getByRole('region', { name: 'Test set', exact: true });
  const dialog = (name: string | RegExp): Locator => opened.page.getByRole('dialog', { name });
  const expectAccessible = async (): Promise<void> => {
    expect(await findingsInThemes(opened.page)).toEqual([]);
  };

  it('compares and rates marked logs and makes a test set of them, by keyboard', async () => {
    const { page } = opened;
    await page.goto(address('/logs'));
    const rows = page.getByRole('grid', { name: 'Logs' }).getByRole('row');
    await rows.nth(2).waitFor();
    await rows.nth(1).press('Home');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    const bar = page.getByRole('toolbar', { name: 'Marked logs' });
    await bar.getByText('2 logs marked').waitFor();
    await expectAccessible();

    await bar.getByRole('button', { name: 'Compare' }).press('Enter');
    await dialog('Compare two logs').getByText('A secret about Rome').waitFor();
    await dialog('Compare two logs').getByText('A secret about Oslo').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');

    await bar.getByRole('button', { name: 'Feedback' }).press('Enter');
    await dialog('Feedback for 2 traces').getByLabel('Note').fill('From a test');
    await page.keyboard.press('Enter');
    await dialog('Feedback for 2 traces').getByText('2 of 2 have it.').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');

    await bar.getByRole('button', { name: 'Make a test set' }).press('Enter');
    await pane().getByText('2 rows').waitFor();
    expect(page.url()).toMatch(/\/playground\?.*view=tests/);
  });

  it('runs a test set within a budget, checks responses by an expression, and shows the failed ones', async () => {
    const { page } = opened;
    await page.getByRole('button', { name: 'Add a column' }).click();
    await pane().getByRole('combobox', { name: 'Check of all rows' }).click();
    await page.getByRole('option', { name: 'Matches an expression' }).click();
    await pane().getByRole('textbox', { name: 'Expression' }).fill('/sandbox.*oslo/i');
    await pane()
      .getByText(/requests cost about/)
      .waitFor();
    await pane().getByRole('textbox', { name: 'Budget in USD' }).fill('1');
    await page.keyboard.press('Control+Enter');
    await pane().getByText('1 passed, 1 failed').nth(1).waitFor();
    await pane()
      .getByText(/Spent 0\.0\d+/)
      .waitFor();
    await expectAccessible();
    await pane().getByRole('switch', { name: 'Only what failed' }).press('Space');
    await pane().getByRole('button', { name: 'A secret about Oslo' }).waitFor({ state: 'detached' });
    const failed = pane().getByRole('button', { name: /column 1\s*failed/ });
    await failed.press('Enter');
    await dialog(/column 1$/)
      .getByText('[sandbox]')
      .waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      pane().getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('test-set.csv');
  });

  it('imports rows from CSV and checks responses by a JSON schema', async () => {
    const { page } = opened;
    await pane().getByRole('switch', { name: 'Only what failed' }).press('Space');
    await pane().getByRole('button', { name: 'Remove all rows' }).click();
    await pane().getByRole('button', { name: 'Add rows' }).click();
    await dialog('Add rows').getByText('CSV', { exact: true }).click();
    await dialog('Add rows').getByRole('textbox', { name: 'CSV' }).fill('input,expected\n{},\nx,SANDBOX\n');
    await expectAccessible();
    await dialog('Add rows').getByRole('button', { name: 'Add them' }).click();
    await pane().getByText('2 rows').waitFor();
    await pane().getByRole('combobox', { name: 'Check of all rows' }).click();
    await page.getByRole('option', { name: 'Matches a JSON schema' }).click();
    await pane().getByRole('textbox', { name: 'JSON schema' }).fill('{"type":"object"}');
    await pane()
      .getByRole('button', { name: /^Run 4 requests/ })
      .click();
    await pane().getByText('2 passed, 0 failed').nth(1).waitFor();
  });

  it('sends one request several times and shows the spread of its results', async () => {
    const { page } = opened;
    await page.goto(address('/playground?c=@sandbox/sandbox-small'));
    await page.getByLabel('User, message 1').fill('A secret repeated');
    await page.getByRole('button', { name: 'Run × n of column 1' }).press('Enter');
    const repeat = dialog(/^Run × n/);
    await repeat.getByRole('textbox', { name: 'Times' }).fill('6');
    await page.keyboard.press('Enter');
    await repeat.getByText('6 of 6 have ended.').waitFor();
    await repeat.getByRole('row', { name: /^Cost 0\.0000\d+ 0\.0000\d+ 0\.0000\d+/ }).waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
  });

  it('sends a recording as a form to a provider that transcribes it', async () => {
    const { page } = opened;
    await page.goto(address('/playground?c=@stub/whisper-1&api=transcriptions'));
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'call.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF of a call') });
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Answer 1' }).getByText('Good morning.').waitFor();
    const received = stub.requests.at(-1);
    expect(received?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    const form = received?.body.toString() ?? '';
    for (const part of ['name="model"', 'whisper-1', 'filename="call.wav"', 'RIFF of a call'])
      expect(form).toContain(part);
    await expectAccessible();
  });

  it('leaves no request text in addresses or storage, and causes no script error', async () => {
    const { page, faults, requests } = opened;
    expect([page.url(), ...requests].filter((url) => /secret/i.test(url))).toEqual([]);
    const traces = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title])';
    expect(await page.evaluate<string>(traces)).not.toMatch(/secret|pat_/);
    expect(faults).toEqual([]);
    const ours = [product.adminUrl, new URL(product.baseUrl).origin];
    const others = requests.filter((url) => !ours.some((origin) => url.startsWith(origin)));
    expect(others.filter((url) => !url.startsWith('blob:'))).toEqual([]);
  });
});
