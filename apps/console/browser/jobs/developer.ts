import { eventually } from '@gw/testing';
import { copied } from '../support/clipboard';
import { consoleLinkOf } from '../support/console-browser';
import { statusOf } from '../support/requests';
import type { Job } from './job';

/**
 * Jobs of developers: the first response, setting up a client, comparing models, and looking up
 * one's own limits.
 */
export const DEVELOPER_JOBS: readonly Job[] = [
  {
    number: 1,
    title: 'first answer after npm start',
    steps: 2,
    from: null,
    run: async (hands, { product, page }) => {
      await hands.open(consoleLinkOf(product.printed));
      await hands.press(page.getByRole('button', { name: 'Send it from here' }));
    },
    done: ({ page }) =>
      page.getByRole('status', { name: 'Response' }).getByText('200', { exact: true }).waitFor(),
  },
  {
    number: 2,
    title: 'copy working code for a client, with its key',
    steps: 3,
    from: () => '',
    run: async (hands, { page }) => {
      await hands.goTo('Connect', 'g n');
      await hands.press(page.getByRole('link', { name: 'Python', exact: true }));
      await hands.press(page.getByRole('button', { name: 'Copy with a new key' }));
    },
    done: async ({ page, product }) => {
      const key = await eventually(async () => /api_key="([^"]+)"/.exec(await copied(page))?.[1]);
      await eventually(async () => (await statusOf(product, key)) === 200);
    },
  },
  {
    number: 6,
    title: 'compare three models on one prompt, with cost and time',
    steps: 3,
    from: ({ fallen }) => `/playground?log=${fallen}&c=@stub/gpt-4o-mini`,
    run: async (hands, { page }) => {
      await page.getByText('Say hello.').waitFor();
      const add = page.getByRole('button', { name: 'Add a column' });
      await hands.press(add);
      await hands.press(add);
      await hands.chord('Control+Enter');
    },
    done: async ({ page }) => {
      const columns = page.getByRole('region', { name: /^Column \d$/ });
      for (const place of [0, 1, 2]) {
        await columns.nth(place).getByText('200', { exact: true }).waitFor();
        await columns
          .nth(place)
          .getByText(/^0\.0000/)
          .waitFor();
      }
      expect(new Set(new URL(page.url()).searchParams.getAll('c')).size).toBe(3);
    },
  },
  {
    number: 7,
    title: 'what I am allowed, and how much is left',
    steps: 2,
    from: () => '',
    run: async (hands, { page }) => {
      await hands.press(page.getByRole('button', { name: /^Account of/ }));
      await hands.press(page.getByRole('menuitem', { name: 'My keys and limits' }));
    },
    done: async ({ page }) => {
      await page.getByText('$20.00 left').waitFor();
      await page.getByText('60 requests a minute').waitFor();
    },
  },
];
