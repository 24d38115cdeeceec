import type { Page } from 'playwright-core';

/**
 * Selector of the parts of a page that are loading data or code, also before their skeletons show.
 */
export const LOADING = '[data-loading]';

/** Waits until the page has a heading and no part is loading; its title is then final. */
export async function pageLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}
