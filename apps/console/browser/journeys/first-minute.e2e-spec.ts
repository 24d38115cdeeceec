import { startProduct, type Product } from '@gw/testing';
import { expectAccessible } from '../support/axe';
import { ConsoleBrowser, consoleLinkOf } from '../support/console-browser';

describe('The first minute', () => {
  const browser = new ConsoleBrowser();
  let product: Product;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  it('sends a request from the page, shows it live, and how a failure was survived', async () => {
    const { page, faults, requests } = await browser.open();
    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('button', { name: 'Send it from here' }).click();
    const answer = page.getByRole('status', { name: 'Answer' });
    await answer.getByText('200').waitFor();
    const why = answer.getByRole('link', { name: 'Why it went there' });
    const address = new URL((await why.getAttribute('href')) ?? '', page.url());
    const id = address.searchParams.get('log') ?? '';
    const live = page.getByRole('list', { name: 'Live' });
    await live.locator(`a[href$="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Break it' }).click();
    await page.getByText('answered all the same').waitFor();
    await page.getByRole('region', { name: /Where/ }).getByText('second').waitFor();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
    const key = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(key).not.toContain('pat_');
    await live.locator(`a[href$="${id}"]`).click();
    await page.waitForURL(new RegExp(`/logs\\?log=${id}`));
    const gateway = new URL(product.baseUrl).origin;
    const ours = [product.adminUrl, gateway];
    expect(requests.filter((url) => !ours.some((origin) => url.startsWith(origin)))).toEqual([]);
    expect(faults).toEqual([]);
  });
});
