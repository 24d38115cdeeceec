// How fast the console is: largest paint and interactions with a slow CPU, scrolling of as many rows as the page loads, the tail at 100
// rows a second, a large body, a large trace, a chart, and the time from the banner to the first answer with its Why. Starts the built
// product and a Chromium. `npm run bench:console -- [--only paints,tail] [--minutes 10]`. A busy machine makes the figures larger: the load is printed.
const { loadavg } = require('node:os');
const { parseArgs } = require('node:util');
require('../tools/typescript.cjs');
const { startProduct } = require('../libs/testing/src/product.ts');
const { startBrowser } = require('./lib/console-page.cjs');
const { MEASURES } = require('./lib/console-measures.cjs');
const { markdown } = require('./lib/report.cjs');

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(MEASURES).join() },
    minutes: { type: 'string', default: '2' },
  },
});
/** @typedef {import('./lib/console-measures.cjs').Scene} Scene */

const TRAFFIC = 60;
/** @param {string} text */
const note = (text) => process.stderr.write(`${text}\n`);

/**
 * From the banner's link to the first answer and its Why, without a key typed.
 * @param {import('playwright-core').Page} page
 * @param {string} printed
 */
async function firstMinute(page, printed) {
  const [, link = ''] = /^ *Console +(http\S+)/m.exec(printed) ?? [];
  const began = Date.now();
  await page.goto(link);
  await page.getByRole('button', { name: 'Send it from here' }).click();
  await page.getByRole('link', { name: 'Why it went there' }).click();
  await page
    .getByRole('complementary', { name: 'Open log' })
    .getByText('Answered', { exact: false })
    .first()
    .waitFor();
  return Date.now() - began;
}

/**
 * What the measures need: requests that were logged, a row of theirs, and Home past its first minute.
 * @param {Awaited<ReturnType<typeof startProduct>>} product
 * @param {import('playwright-core').Page} page
 */
async function sceneOf(product, page) {
  const { workspace_id: ws, workspace_slug: slug, api_key: key } = product.credentials;
  const send = () =>
    fetch(`${product.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-gw-provider': '@sandbox',
      },
      body: '{"model":"sandbox-small","messages":[{"role":"user","content":"Say hello."}]}',
    }).then((response) => response.arrayBuffer());
  for (let sent = 0; sent < TRAFFIC; sent += 1) await send();
  await page.waitForTimeout(2_000);
  /** @type {[Scene['template']]} */
  const [template] = await page.evaluate(
    `fetch('/v1/logs?workspace_id=${ws}&page_size=1', { headers: { 'x-gw-console': '1' } }).then((r) => r.json()).then(({ data }) => data)`,
  );
  await page.evaluate(`localStorage.setItem('tollgate:onboarding:${ws}', '{"isDismissed":true,"done":[]}')`);
  await page.close();
  const home = `${product.adminUrl}/console/w/${slug}`;
  return { send, home, template, log: template.id, minutes: Number(options.minutes) };
}

async function main() {
  const began = Date.now();
  const product = await startProduct();
  const started = Date.now() - began;
  const { browser, open, cpuSeconds } = await startBrowser();
  try {
    const { page } = await open();
    const rows = [
      ['npm start, warm: until the banner', `${(started / 1000).toFixed(1)} s`, '≤ 6 s'],
      [
        'banner → link → first answer with its Why',
        `${((await firstMinute(page, product.printed)) / 1000).toFixed(1)} s`,
        '≤ 60 s',
      ],
    ];
    const scene = { ...(await sceneOf(product, page)), open, cpuSeconds };
    for (const name of options.only.split(',')) {
      const measure = MEASURES[name];
      if (measure === undefined) throw new Error(`There is no measure ${name}.`);
      const measured = await measure(scene).catch((/** @type {Error} */ error) => [
        [name, `failed: ${error.message.split('\n', 1)[0] ?? ''}`, ''],
      ]);
      for (const row of measured) note(row.join(' | '));
      rows.push(...measured);
    }
    console.log(markdown(['What', 'Measured', 'Bound'], rows));
    console.log(
      `\nLoad of the machine: ${loadavg()
        .map((load) => load.toFixed(1))
        .join(', ')}`,
    );
  } finally {
    await browser.close();
    await product.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
