import { eventually, startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { consoleRoutes } from '../support/console-routes';
import { LOADING, pageLoaded } from '../support/page-loaded';
import { Owner } from '../support/owner';
import { chat, FALLBACK, stored } from '../support/requests';
import { sendTraffic } from '../support/traffic';

/** Every page with examples of its search parameters. `$log` and `$key` stand for ids. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '/w/$ws': ['?t=7d&vs=1&by=provider'],
  '/w/$ws/connect': ['?to=@sandbox&model=sandbox-large'],
  '/w/$ws/connect/$client': ['?to=@sandbox&model=sandbox-large'],
  '/w/$ws/connect/tour': [''],
  '/w/$ws/logs': [
    '?t=7d&f=status:200&f=md.team:search&log=$log&tab=messages',
    '?f=status:5xx&cols=time,status,model,cost',
    '?q=parrot&t=24h',
  ],
  '/w/$ws/logs/$log': ['?tab=money'],
  '/w/$ws/playground': [
    '?view=tests&c=@sandbox/sandbox-small',
    '?log=$log&api=responses&c=@sandbox/sandbox-small;temperature=0.2&c=@sandbox/sandbox-large;max_tokens=80&temperature=0.5&stream=0',
  ],
  '/w/$ws/keys': ['?q=search&f=status:active&sort=-name&cols=name,key,status'],
  '/w/$ws/keys/new': ['?tab=limits'],
  '/w/$ws/keys/$key': ['?tab=edit'],
  '/w/$ws/providers': ['?q=sand&sort=-name'],
  '/w/$ws/providers/new': ['?q=open&by=openai'],
  '/w/$ws/providers/$provider': ['?tab=models'],
  '/w/$ws/models': ['?q=small&f=provider:sandbox'],
  '/org/audit': ['?t=24h&f=action:create'],
  '/me': [''],
  '/me/factors': [''],
  '/me/keys': [''],
  '/me/preferences': [''],
};
const CASES = Object.entries(ADDRESSES).flatMap(([path, searches]) =>
  searches.map((search) => [path + search] as const),
);

/** Number of equal looks in a row after which a page counts as settled. */
const SAME_LOOKS = 4;

/**
 * Visible state of a page: its address, title and content, with numbers replaced because figures
 * and times change.
 */
interface View {
  readonly address: string;
  readonly title: string;
  readonly shown: string;
}

describe('console addresses', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    await sendTraffic(product);
    const { workspace_id, workspace_slug: ws } = product.credentials;
    const owner = await Owner.signIn(product);
    const key = await owner.call<{ readonly id: string }>('/api-keys/workspace/service', {
      ...{ name: 'search-prod', workspace_id, scopes: ['completions.write'] },
    });
    const headers = { 'x-gw-config': JSON.stringify(FALLBACK), 'x-gw-metadata': '{"team":"search"}' };
    const sent = await chat(product, { model: 'sandbox-small' }, headers);
    await stored(product, [sent]);
    const { id: log } = sent;
    ids = { $ws: ws, $log: log, $key: key.id, $client: 'codex', $provider: 'sandbox' };
    opened = await browser.open();
    await opened.page.goto(consoleLinkOf(product.printed));
    await opened.page.getByRole('button', { name: 'Skip to the overview' }).click();
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  const addressOf = (path: string): string =>
    `${product.adminUrl}/console${path.replaceAll(/\$\w+/g, (name) => ids[name] ?? name)}`;
  const look = async (page: Page): Promise<View> => ({
    address: page.url(),
    title: await page.title(),
    shown: (await page.locator('main').ariaSnapshot()).replaceAll(/\d+(?:[.,]\d+)*/g, '0'),
  });
  /** Returns the view of a page that has finished loading. */
  async function settled(page: Page): Promise<View> {
    await pageLoaded(page);
    // Parts of a page load when they become visible, and streams keep the network busy, so network
    // idleness is no criterion.
    let [before, same] = [null as View | null, 0];
    return eventually(
      async () => {
        const isLoading = (await page.locator(LOADING).count()) > 0;
        const now = await look(page);
        same = !isLoading && JSON.stringify(before) === JSON.stringify(now) ? same + 1 : 0;
        before = now;
        return same >= SAME_LOOKS ? now : undefined;
      },
      { everyMs: 150 },
    );
  }
  /** Waits until the page shows the given view. */
  async function expectView(page: Page, view: View): Promise<void> {
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await eventually(async () => expect(await look(page)).toEqual(view) === undefined);
  }
  const paramsOf = (address: string): readonly string[] =>
    [...new URL(address).searchParams].map(([name, value]) => `${name}=${value}`).sort();

  it('has a test case for every page', () => {
    expect(Object.keys(ADDRESSES).sort()).toEqual([...consoleRoutes()].sort());
  });

  it.each(CASES)(
    'shows the same view of %s after a reload, after Back and from a copied link',
    async (path) => {
      const { page, context } = opened;
      const address = addressOf(path);
      await page.goto(address);
      const view = await settled(page);
      expect(paramsOf(view.address)).toEqual(paramsOf(address));

      await page.reload();
      await expectView(page, view);

      const other = path.includes('/models') ? 'Audit' : 'Models';
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: other }).click();
      await page.getByRole('heading', { level: 1, name: other }).waitFor();
      await page.goBack();
      await expectView(page, view);

      const copy = await context.newPage();
      await copy.goto(view.address);
      await expectView(copy, view);
      await copy.close();
    },
  );

  it('causes no script error', () => {
    expect(opened.faults).toEqual([]);
  });
});
