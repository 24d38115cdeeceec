import { eventually, startProduct, type Product } from '@gw/testing';
import type { Page } from 'playwright-core';
import { findingsOf, inTheme } from '../support/accessibility';
import { ConsoleBrowser, consoleLinkOf } from '../support/console-browser';
import { stored } from '../support/requests';

async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await inTheme(page, theme);
    expect(await findingsOf(page)).toEqual([]);
  }
}

describe('onboarding and playground', () => {
  const browser = new ConsoleBrowser();
  let product: Product;

  beforeAll(async () => {
    [product] = await Promise.all([startProduct(), browser.start()]);
  });
  afterAll(async () => {
    await browser.stop();
    await product.stop();
  });

  it('sends a request from the page, shows it live, and explains a fallback', async () => {
    const { page, faults, requests } = await browser.open();
    await page.goto(consoleLinkOf(product.printed));
    await page.getByRole('button', { name: 'Send it from here' }).click();
    const answer = page.getByRole('status', { name: 'Response' });
    await answer.getByText('200', { exact: true }).waitFor();
    const why = answer.getByRole('link', { name: 'Why it went there' });
    const address = new URL((await why.getAttribute('href')) ?? '', page.url());
    const id = address.searchParams.get('log') ?? '';
    const live = page.getByRole('list', { name: 'Live' });
    await live.locator(`a[href$="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Break it' }).click();
    await page.getByText('answered all the same').waitFor();
    await page.getByRole('region', { name: /Where/ }).getByText('503 after').first().waitFor();
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

  it('streams three responses in parallel, stops one of them, and replays a logged request', async () => {
    const { page, faults, requests } = await browser.open();
    const { owner_email: email, owner_password: password, workspace_slug: slug } = product.credentials;
    const slow = (model: string): string => `c=${encodeURIComponent(`@sandbox/${model}?chunks=80&gap=250`)}`;
    const playground = `${product.adminUrl}/console/w/${slug}/playground`;
    const columns = [slow('sandbox-small'), slow('sandbox-large'), slow('sandbox-small')];
    await page.goto(`${playground}?${columns.join('&')}`);
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('User, message 1').fill('A secret question');
    const answer = (n: number) => page.getByRole('region', { name: `Answer ${String(n)}` });
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Stop column 3' }).waitFor();
    await Promise.all([1, 2, 3].map((n) => answer(n).getByText('[sandbox]').waitFor()));
    expect(await page.locator('[aria-busy=true]').count()).toBe(3);
    await page.getByRole('button', { name: 'Stop column 2' }).click();
    const second = page.getByRole('region', { name: 'Column 2' });
    await second.getByText('stopped').waitFor();
    const first = page.getByRole('region', { name: 'Column 1' });
    await first.getByText('200', { exact: true }).waitFor();
    const why = new URL(
      (await first.getByRole('link', { name: 'Why' }).getAttribute('href')) ?? '',
      page.url(),
    );
    await first.getByText(/^0\.0000/).waitFor();
    await expectAccessible(page);
    const id = why.searchParams.get('log') ?? '';
    await stored(product, [{ id }]);
    await page.goto(`${playground}?log=${id}`);
    const question = page.getByLabel('User, message 1');
    await eventually(async () => (await question.inputValue()) === 'A secret question');
    await page.getByRole('button', { name: 'Run', exact: true }).first().click();
    await first.getByText('200', { exact: true }).waitFor();
    expect([page.url(), ...requests].filter((url) => /secret/i.test(url))).toEqual([]);
    const traces = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.title])';
    expect(await page.evaluate<string>(traces)).not.toMatch(/secret question|pat_/);
    // Chromium reports the refused call before the sign-in.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });
});
