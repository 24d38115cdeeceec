import { eventually, startProduct, type Product } from '@gw/testing';
import { copied } from '../support/clipboard';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { Owner } from '../support/owner';
import { chat } from '../support/requests';

/** Number of requests sent while the tail is open; set by `CONSOLE_TAIL_REQUESTS`. */
const REQUESTS = Number(process.env['CONSOLE_TAIL_REQUESTS'] ?? 1_000);
const AT_ONCE = 16;
const PAGE_SIZE = 100;
/** Timeout that suffices for ten thousand requests on a busy machine. */
const TIMEOUT_MS = 600_000;

interface LogPage {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

describe('tail of the logs page', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let owner: Owner;
  let opened: ConsolePage;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    owner = await Owner.signIn(product);
    opened = await browser.open();
    const { page, context } = opened;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('button', { name: 'Send it from here' }).waitFor();
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  /** Sends `count` requests. Resolves to the ids of their logs. */
  async function send(count: number): Promise<readonly string[]> {
    const ids: string[] = [];
    let left = count;
    const sender = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        ids.push((await chat(product, { model: 'sandbox-small' }, { 'x-gw-provider': '@sandbox' })).id);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sender));
    return ids;
  }

  /** Reads the ids of all logs from the API. */
  async function listed(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor = '';
    for (;;) {
      const path = `/logs?workspace_id=${product.credentials.workspace_id}&page_size=${String(PAGE_SIZE)}`;
      const { data, next_cursor: next } = await owner.call<LogPage>(path + cursor);
      ids.push(...data.map(({ id }) => id));
      if (next === null) return ids;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }

  /** Loads the whole list and returns its number of rows. */
  async function loaded(): Promise<number> {
    const { page } = opened;
    const grid = page.getByRole('grid', { name: 'Logs' });
    const foot = page.locator('.logs-foot');
    await grid.getByRole('row').nth(1).press('Home');
    await eventually(
      async () => {
        await page.keyboard.press('End');
        return (await foot.innerText()).includes('all of this time');
      },
      { timeoutMs: TIMEOUT_MS, everyMs: 50 },
    );
    return Number(((await foot.innerText()).match(/([\d,]+) loaded/)?.[1] ?? '').replaceAll(',', ''));
  }

  /** Reads the ids of all rows of the loaded list. */
  async function shown(): Promise<readonly string[]> {
    const { page } = opened;
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Space');
    await page.getByRole('button', { name: 'Copy ids' }).click();
    return eventually(async () => {
      const text = await copied(page);
      return text.split('\n').length > 1 ? text.split('\n') : undefined;
    });
  }

  it(
    'shows each of many requests exactly once, although the stream was cut in between',
    async () => {
      const { page } = opened;
      await page.goto(`${product.adminUrl}/console/w/${product.credentials.workspace_slug}/logs?live=1`);
      await page.getByText('live', { exact: true }).waitFor();
      const first = await send(Math.floor(REQUESTS / 3));
      const cut = product.restart('admin-api');
      const second = await send(Math.floor(REQUESTS / 3));
      await cut;
      await page.getByText('live', { exact: true }).waitFor();
      const third = await send(REQUESTS - first.length - second.length);
      const sent = [...first, ...second, ...third];
      const all = await eventually(
        async () => {
          const ids = await listed();
          return ids.length === REQUESTS ? ids : undefined;
        },
        { timeoutMs: TIMEOUT_MS, everyMs: 1_000 },
      );
      expect(new Set(all)).toEqual(new Set(sent));
      await eventually(async () => (await loaded()) === REQUESTS, { timeoutMs: TIMEOUT_MS });
      const ids = await shown();
      expect([ids.length, new Set(ids).size]).toEqual([REQUESTS, REQUESTS]);
      expect(new Set(ids)).toEqual(new Set(sent));
    },
    TIMEOUT_MS,
  );
});
