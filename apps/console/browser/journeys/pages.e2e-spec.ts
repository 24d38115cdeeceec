import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProduct, type Product } from '@gw/testing';
import { findingsOf, inTheme } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { LOADING, pageLoaded } from '../support/page-loaded';
import { sendTraffic } from '../support/traffic';

/** Directory of the screenshots of all pages; `WRITE_PICTURES=true` writes them. */
const PICTURES = join(__dirname, '../../../../docs/console');

/** Screenshot name and address below the console of each page. */
const PAGES: readonly (readonly [name: string, path: string])[] = [
  ['home', 'w/:ws'],
  ['connect', 'w/:ws/connect'],
  ['first-minute', 'w/:ws/connect/tour'],
  ['logs', 'w/:ws/logs'],
  ['playground', 'w/:ws/playground'],
  ['playground-raw', 'w/:ws/playground?api=raw&c=draft/'],
  ['keys', 'w/:ws/keys'],
  ['new-key', 'w/:ws/keys/new'],
  ['providers', 'w/:ws/providers'],
  ['new-provider', 'w/:ws/providers/new?by=azure-openai'],
  ['provider', 'w/:ws/providers/sandbox?tab=use'],
  ['provider-history', 'w/:ws/providers/sandbox?tab=history'],
  ['models', 'w/:ws/models'],
  ['audit', 'org/audit'],
  ['profile', 'me'],
  ['factors', 'me/factors'],
  ['own-keys', 'me/keys'],
  ['preferences', 'me/preferences'],
];

describe('console pages', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let workspace: string;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    await sendTraffic(product);
    opened = await browser.open();
    await opened.page.goto(consoleLinkOf(product.printed));
    await opened.page.waitForURL(/\/console\/w\/[^/]+\/?$/);
    workspace = /\/w\/([^/]+)/.exec(opened.page.url())?.[1] ?? '';
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const addressOf = (path: string): string => `${product.adminUrl}/console/${path.replace(':ws', workspace)}`;

  async function picture(name: string, theme: string): Promise<void> {
    if (process.env['WRITE_PICTURES'] !== 'true') return;
    mkdirSync(PICTURES, { recursive: true });
    // The health line loads after the page.
    await opened.page.locator('.health-ok').waitFor();
    await opened.page.screenshot({ path: join(PICTURES, `${name}-${theme}.png`) });
  }

  it.each(PAGES)(
    'has no axe findings on %s in either theme, and shows the same after a reload',
    async (name, path) => {
      const { page } = opened;
      await page.goto(addressOf(path));
      await pageLoaded(page);
      const [title, address] = [await page.title(), page.url()];
      await page.reload();
      await pageLoaded(page);
      expect([await page.title(), page.url()]).toEqual([title, address]);
      for (const theme of ['light', 'dark'] as const) {
        await inTheme(page, theme);
        await picture(name, theme);
        expect(await findingsOf(page)).toEqual([]);
      }
      await inTheme(page, 'light');
    },
  );

  it('marks a page as loading until the name of its resource is known', async () => {
    const { page } = opened;
    let respond: () => void = () => undefined;
    const mayRespond = new Promise<void>((resolve) => (respond = resolve));
    const address = /\/v1\/providers\/sandbox\?/;
    await page.route(address, (route) => void mayRespond.then(() => route.continue()));
    await page.goto(addressOf('w/:ws/providers/sandbox'));
    await page.getByRole('heading', { level: 1, name: 'Providers' }).waitFor();
    expect(await page.locator(LOADING).count()).toBeGreaterThan(0);
    respond();
    await pageLoaded(page);
    expect(await page.title()).toBe('Sandbox · Tollgate');
    await page.unroute(address);
  });

  it('shows the open log with its waterfall, without axe findings', async () => {
    const { page } = opened;
    await page.goto(addressOf('w/:ws/logs'));
    await page
      .getByRole('grid', { name: 'Logs' })
      .getByRole('row')
      .filter({ hasText: 'fallback' })
      .first()
      .click();
    const why = page.getByRole('complementary', { name: 'Open log' });
    await why.getByText('Answered by the second target.').waitFor();
    for (const theme of ['light', 'dark'] as const) {
      await inTheme(page, theme);
      await picture('why', theme);
      expect(await findingsOf(page)).toEqual([]);
    }
    await inTheme(page, 'light');
  });

  it('shows the overview after the onboarding is skipped', async () => {
    const { page } = opened;
    await page.goto(addressOf('w/:ws'));
    await page.getByRole('button', { name: 'Skip to the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    // Texts that the parts show when loaded. Skeletons appear only a moment after the heading.
    for (const part of ['exactly', 'nightly-report', 'some fail', 'Used up', 'created API key'])
      await page.getByText(part).first().waitFor();
    await pageLoaded(page);
    for (const theme of ['light', 'dark'] as const) {
      await inTheme(page, theme);
      await picture('overview', theme);
      expect(await findingsOf(page)).toEqual([]);
    }
    await inTheme(page, 'light');
  });

  it('causes no policy violation, no script error and no request to another host', () => {
    expect(opened.faults).toEqual([]);
    const hosts = new Set(
      opened.requests.filter((url) => !/^(?:data|blob):/.test(url)).map((url) => new URL(url).origin),
    );
    const gateway = new URL(product.baseUrl).origin;
    expect([...hosts].filter((host) => host !== product.adminUrl && host !== gateway)).toEqual([]);
  });
});
