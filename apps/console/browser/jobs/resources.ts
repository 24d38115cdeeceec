import { eventually } from '@gw/testing';
import { copied } from '../support/clipboard';
import { statusOf } from '../support/requests';
import type { Job } from './job';

/** Jobs with keys and providers. */
export const RESOURCE_JOBS: readonly Job[] = [
  {
    number: 8,
    title: 'new key with a budget for a service, copied at once',
    steps: 4,
    from: () => '',
    run: async (hands, { page }) => {
      await hands.chord('c k');
      await hands.fill(page.getByRole('textbox', { name: /^Name/ }), 'search-service');
      await hands.fill(page.getByRole('textbox', { name: 'Budget' }), '50');
      await hands.act(page.getByRole('button', { name: 'Create key' }), 'Control+Enter');
    },
    done: async ({ page, product }) => {
      const dialog = page.getByRole('dialog', { name: /shown once/ });
      const secret = await dialog.locator('.reveal-secret code').innerText();
      await eventually(async () => (await copied(page)) === secret);
      await eventually(async () => (await statusOf(product, secret)) === 200);
    },
  },
  {
    number: 9,
    title: 'rotate a leaked key, the old secret ended now',
    steps: 3,
    from: () => '/keys',
    run: async (hands, { page, key }) => {
      const row = page.getByRole('grid').getByRole('row').filter({ hasText: key.name });
      await hands.press(row);
      await hands.press(page.getByRole('button', { name: 'Rotate' }));
      await hands.press(page.getByRole('button', { name: 'End the old one now' }));
    },
    done: async ({ page, product, key }) => {
      await page.getByText('The old secret no longer works.').waitFor();
      const next = await page.locator('.reveal-secret code').innerText();
      await eventually(async () => (await copied(page)) === next);
      await eventually(async () => (await statusOf(product, next)) === 200);
      await eventually(async () => (await statusOf(product, key.secret)) === 401);
    },
  },
  {
    number: 13,
    title: 'add a provider that is known to work before it is saved',
    steps: 5,
    from: () => '/providers',
    run: async (hands, { page, stub }) => {
      await hands.press(page.getByRole('link', { name: 'Add provider' }));
      await hands.press(page.getByRole('button', { name: /^vLLM/i }));
      await hands.fill(page.getByRole('textbox', { name: /^Custom host/ }), `${stub.origin}/v1`);
      await hands.press(page.getByRole('button', { name: 'Test', exact: true }));
      await page.getByRole('listitem').filter({ hasText: 'Credential' }).getByLabel('passed').waitFor();
      await hands.press(page.getByRole('button', { name: 'Save and open' }));
    },
    done: async ({ page }) => {
      await page.waitForURL(/\/providers\/vllm$/);
      await page.getByRole('heading', { level: 1, name: /^vLLM/i }).waitFor();
    },
  },
];
