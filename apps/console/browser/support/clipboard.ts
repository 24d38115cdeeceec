import type { Page } from 'playwright-core';

/** Returns the text that was copied last. */
export const copied = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');
