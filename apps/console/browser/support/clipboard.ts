import type { Page } from 'playwright-core';

/** What was copied last. */
export const copied = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');
