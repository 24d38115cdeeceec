import { startProduct, StubProvider, type Product } from '@gw/testing';
import { DEVELOPER_JOBS, LOG_JOBS, prepareScene, RESOURCE_JOBS, type Job, type Scene } from '../jobs';
import { ConsoleBrowser, type ConsolePage } from '../support/console-browser';
import { Keyboard, Mouse, type Hands } from '../support/hands';

const JOBS = [...DEVELOPER_JOBS, ...LOG_JOBS, ...RESOURCE_JOBS].map(
  (job): readonly [number: number, title: string, steps: number, job: Job] => [
    job.number,
    job.title,
    job.steps,
    job,
  ],
);

describe.each([
  ['a mouse', Mouse],
  ['the keyboard only', Keyboard],
])('jobs in the console, done with %s', (_, HandsOf) => {
  const browser = new ConsoleBrowser();
  let product: Product;
  let stub: StubProvider;
  let opened: ConsolePage;
  let scene: Scene;
  let hands: Hands;

  beforeAll(async () => {
    [product, stub] = await Promise.all([
      startProduct({ environment: { TRUSTED_CUSTOM_HOSTS: '127.0.0.1' } }),
      StubProvider.start(),
      browser.start(),
    ]);
    opened = await browser.open();
    const { page, context } = opened;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    hands = new HandsOf(page);
    if (hands instanceof Keyboard) await hands.watch();
    scene = { ...(await prepareScene(product, stub)), product, stub, page };
  });
  afterAll(async () => {
    await browser.stop();
    await Promise.all([product.stop(), stub.stop()]);
  });

  /** Opens the page where a job begins, with the onboarding dismissed. */
  async function begin({ from }: Job): Promise<void> {
    if (from === null) return;
    const progress = `tollgate:onboarding:${product.credentials.workspace_id}`;
    await opened.page.evaluate(`localStorage.setItem('${progress}', '{"isDismissed":true,"done":[]}')`);
    await opened.page.goto(scene.workspace + from(scene));
    await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
  }

  it.each(JOBS)('does job %i (%s) in at most %i steps', async (_number, _title, steps, job) => {
    await begin(job);
    hands.begin();
    await job.run(hands, scene);
    await job.done(scene);
    expect(hands.steps).toBeLessThanOrEqual(steps);
    if (hands instanceof Keyboard) expect(await hands.mouseEvents()).toBe(0);
  });
});
