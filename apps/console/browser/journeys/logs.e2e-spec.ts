import { eventually, startProduct, type Product } from '@gw/testing';
import { findingsInThemes } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { chat, FALLBACK, HEDGE, stored } from '../support/requests';

describe('logs page', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    opened = await browser.open();
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const grid = () => opened.page.getByRole('grid', { name: 'Logs' });
  const panel = () => opened.page.getByRole('complementary', { name: 'Open log' });

  it('shows why a request went to its second target, also after a reload', async () => {
    const { page } = opened;
    const plain = await chat(product, { model: 'sandbox-small' }, { 'x-gw-provider': '@sandbox' });
    const fallen = await chat(
      product,
      { model: 'sandbox-small' },
      { 'x-gw-config': JSON.stringify(FALLBACK), 'x-gw-metadata': JSON.stringify({ team: 'search' }) },
    );
    expect([plain.status, fallen.status]).toEqual([200, 200]);
    await stored(product, [plain, fallen]);

    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click();
    const row = grid().getByRole('row').filter({ hasText: 'fallback' });
    await row.waitFor();
    await row.click();
    await panel().getByText('Answered by the second target.').waitFor();
    const lanes = panel().getByRole('list', { name: 'Time of the request' });
    await lanes
      .getByText(/503 after/)
      .first()
      .waitFor();
    await lanes.getByText('targets[1] · answered').waitFor();

    const address = page.url();
    expect(address).toMatch(/\/logs\?log=[0-9a-f-]{36}$/);
    await page.reload();
    await panel().getByText('Answered by the second target.').waitFor();
    expect(page.url()).toBe(address);
    await page.goBack();
    await panel().waitFor({ state: 'detached' });
    await page.goForward();
    await panel().waitFor();
  });

  it('has no axe findings in either theme', async () => {
    expect(await findingsInThemes(opened.page)).toEqual([]);
  });

  it('reads bodies only when their tab opens, and shows both sides as one conversation', async () => {
    const { page, requests } = opened;
    const bodies = () => requests.filter((url) => /\/logs\/[^/?]+\/(?:request|response)$/.test(url));
    expect(bodies()).toEqual([]);
    await page.keyboard.press('2');
    await panel().getByText('Say hello.', { exact: true }).waitFor();
    expect(bodies()).toHaveLength(2);
    expect(page.url()).toContain('tab=messages');
    await page.keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
  });

  it('shows a new request while the tail is on', async () => {
    const { page } = opened;
    await page.keyboard.press('.');
    await page.getByText('live', { exact: true }).waitFor();
    expect(page.url()).toContain('live=1');
    await chat(product, { model: 'sandbox-small' }, { 'x-gw-provider': '@sandbox' });
    await grid().getByRole('row').nth(3).waitFor();
    await page.keyboard.press('.');
  });

  it('filters logs by typed text, and tells which filter excludes most', async () => {
    const { page } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('md.team:search status:200');
    await page.keyboard.press('Enter');
    await grid().getByRole('row').filter({ hasText: 'fallback' }).waitFor();
    expect(new URL(page.url()).searchParams.getAll('f')).toEqual(['md.team:search', 'status:200']);
    // The box still has the focus.
    await page.keyboard.type('took:>600000');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing matches 3 filters in this time.').waitFor();
    await page.getByRole('button', { name: 'Which filter excludes most?' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await grid().getByRole('row').filter({ hasText: 'fallback' }).waitFor();
  });

  it('marks a hedged request and finds it by the filter', async () => {
    const { page } = opened;
    const hedged = await chat(product, { model: 'sandbox-small' }, { 'x-gw-config': JSON.stringify(HEDGE) });
    expect(hedged.status).toBe(200);
    await page.goto(`${product.adminUrl}/console/w/${product.credentials.workspace_slug}/logs?f=hedged:yes`);
    const row = grid().getByRole('row').filter({ hasText: 'hedged' });
    await eventually(async () => {
      await page.keyboard.press('r');
      return (await row.count()) > 0;
    });
    // Two rows: the header and the hedged request.
    expect(await grid().getByRole('row').count()).toBe(2);
  });

  it('causes no script error and no request to another host', () => {
    const ours = [product.adminUrl, product.baseUrl.replace(/\/v1$/, '')];
    expect(opened.faults).toEqual([]);
    expect(opened.requests.filter((url) => !ours.some((origin) => url.startsWith(origin)))).toEqual([]);
  });
});
