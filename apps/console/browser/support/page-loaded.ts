import type { Page } from 'playwright-core';

/** Parts of a page whose data or code is on its way, also before their skeletons show. */
export const LOADING = '[data-loading]';

/**
 * Waits until the page has its heading and loads nothing more: what its title says is known then.
 */
export async function pageLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator(LOADING).first().waitFor({ state: 'detached' });
}
