import type { Job, Scene } from './job';

const panel = ({ page }: Scene) => page.getByRole('complementary', { name: 'Open log' });
const answeredBySecond = (scene: Scene): Promise<void> =>
  panel(scene).getByText('Answered by the second target.').waitFor();

/** Jobs with logs: finding a request, explaining it and repeating it. */
export const LOG_JOBS: readonly Job[] = [
  {
    number: 3,
    title: 'find the request behind an error by its body',
    steps: 1,
    from: () => '/keys',
    run: (hands, { refused }) => hands.find(refused),
    done: async (scene) => {
      const { request_id: id } = (JSON.parse(scene.refused) as { error: { request_id: string } }).error;
      await panel(scene).getByRole('tab', { name: 'Why', selected: true }).waitFor();
      expect(scene.page.url()).toContain(`log=${id}`);
    },
  },
  {
    number: 3,
    title: 'find the request behind an error by its id',
    steps: 1,
    from: () => '/keys',
    run: (hands, { fallen }) => hands.find(fallen),
    done: answeredBySecond,
  },
  {
    number: 4,
    title: 'see why a request went to that provider',
    steps: 1,
    from: () => '/logs',
    run: (hands, { page }) =>
      hands.press(
        page.getByRole('grid', { name: 'Logs' }).getByRole('row').filter({ hasText: 'fallback' }).first(),
      ),
    done: answeredBySecond,
  },
  {
    number: 5,
    title: 'run it again, changed',
    steps: 3,
    from: ({ fallen }) => `/logs?log=${fallen}`,
    run: async (hands, scene) => {
      const { page } = scene;
      await answeredBySecond(scene);
      await hands.act(page.getByRole('link', { name: 'Replay in playground' }), 'p');
      const message = page.getByRole('textbox', { name: 'User, message 1' });
      await page.getByText('Say hello.').waitFor();
      await hands.fill(message, 'Say goodbye.');
      await hands.chord('Control+Enter');
    },
    done: ({ page }) =>
      page.getByRole('region', { name: 'Column 1' }).getByText('200', { exact: true }).waitFor(),
  },
  {
    number: 24,
    title: 'what is broken, and what took over',
    steps: 1,
    from: () => '',
    run: (hands, { page }) =>
      hands.press(page.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: 'Why' }).first()),
    done: async ({ page }) => {
      const rows = page.getByRole('grid', { name: 'Logs' }).getByRole('row');
      await rows.filter({ hasText: '503' }).first().waitFor();
    },
  },
];
