import { eventually, startProduct, type Product } from '@gw/testing';
import { Calls } from '../support/calls';
import { ConsoleBrowser, consoleLinkOf, type ConsolePage } from '../support/console-browser';
import { sendTraffic } from '../support/traffic';

/** Maximum numbers of calls that the design allows: before Home shows, and in an idle tab. */
const BEFORE_HOME_MAX = 9;
const IN_SERIES_MAX = 3;
const A_MINUTE_MAX = 6;
const MINUTES = 3;
const LOADS_MAX = 10;

/** Script that makes the page report itself as hidden or visible. */
const see = (state: 'visible' | 'hidden'): string => `
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${String(state === 'hidden')} });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

describe('console API calls', () => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let opened: ConsolePage;
  let calls: Calls;
  let home: string;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
    await sendTraffic(product);
    opened = await browser.open();
    const { page } = opened;
    await page.clock.install();
    calls = new Calls();
    calls.watch(page);
    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('button', { name: 'Skip to the overview' }).click();
    await page.getByRole('region', { name: 'Budgets' }).waitFor();
    home = `${product.adminUrl}/console/w/${product.credentials.workspace_slug}`;
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  /** Waits until no call except the stream is in progress. */
  const settled = (): Promise<unknown> =>
    eventually(() => calls.paths.length > 0 && calls.open.every((path) => path.endsWith('/logs/tail')));

  /** Loads a page and forgets the calls of the one before it. */
  async function open(url: string): Promise<void> {
    await opened.page.goto('about:blank');
    calls.forget();
    await opened.page.goto(url);
  }

  it(`makes at most ${String(BEFORE_HOME_MAX)} calls before Home shows, at most ${String(IN_SERIES_MAX)} of them in series`, async () => {
    const { page } = opened;
    let before = calls;
    const isWithin = (): boolean => before.paths.length <= BEFORE_HOME_MAX && before.series <= IN_SERIES_MAX;
    // Other reads wait for the figures for some seconds only, which a busy machine may need for
    // them. So one load of several has to be within the limits.
    for (let loads = 0; loads === 0 || (loads < LOADS_MAX && !isWithin()); loads += 1) {
      await open(home);
      await page.getByRole('region', { name: 'Saved by cache' }).getByText('of requests').waitFor();
      await page.getByRole('region', { name: 'Budgets' }).waitFor();
      await settled();
      // Home shows once its figures are loaded.
      before = calls.untilEnded(/\/analytics\/graphs\//);
    }
    expect(before.paths.length).toBeLessThanOrEqual(BEFORE_HOME_MAX);
    expect(before.series).toBeLessThanOrEqual(IN_SERIES_MAX);
  });

  it.each(['', '/logs?live=1', '/keys', '/playground'])(
    `makes at most ${String(A_MINUTE_MAX)} calls a minute on the idle page "%s", and none while it is hidden`,
    async (path) => {
      const { page } = opened;
      await open(home + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settled();
      // The page's clock runs in the minutes below alone, however long their calls take.
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
      await settled();
      calls.forget();
      for (let minute = 0; minute < MINUTES; minute += 1) {
        await page.clock.runFor(60_000);
        await eventually(() => calls.open.every((open) => open.endsWith('/logs/tail')));
      }
      expect(calls.paths.length).toBeLessThanOrEqual(A_MINUTE_MAX * MINUTES);
      await page.evaluate(see('hidden'));
      // The page may still make calls that follow from those of the last minute.
      await page.clock.runFor(60_000);
      await eventually(() => calls.open.every((open) => open.endsWith('/logs/tail')));
      calls.forget();
      for (let minute = 0; minute < MINUTES; minute += 1) await page.clock.runFor(60_000);
      expect(calls.paths).toEqual([]);
      await page.evaluate(see('visible'));
      await page.clock.resume();
    },
  );
});
