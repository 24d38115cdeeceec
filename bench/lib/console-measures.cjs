'use strict';
// What `bench:console` measures, each as rows of a figure and its bound.
const { setTimeout: delay } = require('node:timers/promises');
const { chartPage } = require('./chart-page.cjs');
const { heapMb, interaction, settle } = require('./console-page.cjs');

/** @typedef {import('./console-page.cjs').Page} Page */
/**
 * What the measures need. `home`: the workspace in the console; `template`: a log; `log`: its id; `send` makes another one.
 * @typedef {Pick<Awaited<ReturnType<typeof import('./console-page.cjs').startBrowser>>, 'open' | 'cpuSeconds'> & {
 *   home: string,
 *   template: { id: string, trace_id: string },
 *   log: string,
 *   send: () => Promise<unknown>,
 *   minutes: number,
 * }} Scene
 */
/** @typedef {[what: string, measured: string, bound: string]} Row */

const SLOWER = 4;
const ROWS_A_CALL = 1_000;
const BODY_BYTES = 5_000_000;
const SPANS = 1_000;
const SCROLL_MS = 6_000;
const PER_SECOND = 100;
const SAMPLE_MS = 30_000;

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN;
/** @param {number} value */
const ms = (value) => `${Math.round(value)} ms`;
/** @param {Page} page */
const grid = (page) => page.getByRole('grid', { name: 'Logs' });

/**
 * Largest paint of Home and Logs with a slow CPU and a warm server.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function paints({ open, home }) {
  /** @type {Row[]} */
  const rows = [];
  for (const [name, path] of [
    ['Home', ''],
    ['Logs', '/logs'],
  ]) {
    /** @type {number[]} */
    const values = [];
    for (let round = 0; round < 4; round += 1) {
      const { page } = await open(SLOWER);
      await page.goto(home + path);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await settle(page, 3_000);
      values.push(await page.evaluate('bench.lcp'));
      await page.close();
    }
    // The first one fills the caches of the browser and the server.
    rows.push([`LCP of ${name}, CPU / ${SLOWER}`, ms(quantile(values.slice(1), 0.5)), '≤ 2,000 ms']);
  }
  return rows;
}

/**
 * Interactions on Logs with a slow CPU.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function interactions({ open, home }) {
  const { page } = await open(SLOWER);
  await page.goto(`${home}/logs`);
  await grid(page).getByRole('row').nth(1).waitFor();
  const bound = '≤ 200 ms';
  /**
   * @param {string} name
   * @param {() => Promise<void>} run
   * @returns {Promise<Row>}
   */
  const act = async (name, run) => [
    `INP of ${name}, CPU / ${SLOWER}`,
    ms(await interaction(page, run)),
    bound,
  ];
  const rows = [
    await act('open row', () => grid(page).getByRole('row').nth(2).click()),
    await act('another row', () => grid(page).getByRole('row').nth(3).click()),
    await act('switch tab', () => page.getByRole('tab', { name: 'Messages' }).click()),
    await act('add filter', () => page.getByRole('button', { name: 'Add filter' }).click()),
  ];
  await page.close();
  return rows;
}

/**
 * Frames while a list with all rows that it may load is scrolled.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function scrolling({ open, home, template, cpuSeconds }) {
  const { page, tools } = await open();
  let given = 0;
  await page.route(/\/v1\/logs\?/, (route) => {
    const data = Array.from({ length: ROWS_A_CALL }, () => {
      given += 1;
      return {
        ...template,
        id: `00000000-0000-4000-8000-${String(given).padStart(12, '0')}`,
        created_at: new Date(Date.now() - given * 10).toISOString(),
      };
    });
    return route.fulfill({ json: { object: 'list', data, next_cursor: String(given) } });
  });
  await page.goto(`${home}/logs`);
  await grid(page).getByRole('row').nth(1).waitFor();
  const before = await heapMb(tools);
  const began = Date.now();
  await grid(page).getByRole('row').nth(1).focus();
  while (!/^100,000 loaded/.test(await page.locator('.logs-foot').innerText())) {
    await page.keyboard.press('End');
    if (Date.now() - began > 400_000) break;
  }
  const loaded = await page.locator('.logs-foot .num').innerText();
  const took = (Date.now() - began) / 1000;
  const cpu = await cpuSeconds();
  /** @type {number[]} */
  const frames = await page.evaluate(`new Promise((resolve) => {
    const list = document.querySelector('[role=grid]');
    const frames = [];
    const began = performance.now();
    let last = began;
    list.scrollTop = 0;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      list.scrollTop += frames.length % 40 === 0 ? 400_000 : 260;
      if (now - began < ${SCROLL_MS}) requestAnimationFrame(step);
      else resolve(frames.slice(2));
    };
    requestAnimationFrame(step);
  })`);
  const cpuMs = ((await cpuSeconds()) - cpu) * 1000;
  const memory = (await heapMb(tools)) - before;
  await page.close();
  return [
    [`frames while scrolling ${loaded}, p95`, ms(quantile(frames, 0.95)), '≤ 33 ms'],
    ['  the same, median', ms(quantile(frames, 0.5)), '–'],
    ['  CPU of a frame', ms(cpuMs / frames.length), '–'],
    ['  to load them', `${took.toFixed(0)} s`, '–'],
    ['  memory of the rows', `${memory.toFixed(0)} MB`, '≤ 100 MB'],
  ];
}

/**
 * Share of a core and memory while requests arrive.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function tail({ open, home, cpuSeconds, send, minutes }) {
  const { page, tools } = await open();
  await page.goto(`${home}/logs?live=1`);
  await page.getByText('live', { exact: true }).waitFor();
  let isOn = true;
  let sent = 0;
  const ticker = (async () => {
    const began = Date.now();
    while (isOn) {
      const due = Math.floor(((Date.now() - began) / 1000) * PER_SECOND) - sent;
      sent += due;
      void Promise.all(Array.from({ length: due }, () => send().catch(() => undefined)));
      await delay(50);
    }
  })();
  // Until the buffer is full its rows are the growth.
  await delay(25_000);
  const [cpu, began, first] = [await cpuSeconds(), Date.now(), await heapMb(tools)];
  const sizes = [first];
  while (Date.now() - began < minutes * 60_000) {
    await delay(Math.min(SAMPLE_MS, minutes * 60_000));
    sizes.push(await heapMb(tools));
  }
  const share = ((await cpuSeconds()) - cpu) / ((Date.now() - began) / 1000);
  isOn = false;
  await ticker;
  await page.close();
  return [
    [`tail at ${PER_SECOND} rows/s: share of a core`, `${(share * 100).toFixed(0)} %`, '≤ 30 %'],
    [`  heap over ${minutes} min`, sizes.map((size) => size.toFixed(0)).join(' → ') + ' MB', '± 20 MB'],
  ];
}

/**
 * From the click on its tab until a large body is shown.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function largeBody({ open, home, log, cpuSeconds }) {
  const { page } = await open();
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, text: 'x'.repeat(BODY_BYTES / 5_000 - 30) }));
  await page.route(/\/v1\/logs\/[^/]+\/request$/, (route) => route.fulfill({ json: { rows } }));
  await page.goto(`${home}/logs?log=${log}`);
  await page.getByText('Answered', { exact: false }).first().waitFor();
  await settle(page);
  const [began, cpu] = [Date.now(), await cpuSeconds()];
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByRole('complementary', { name: 'Open log' }).getByText('rows').first().waitFor();
  const took = Date.now() - began;
  const cpuMs = ((await cpuSeconds()) - cpu) * 1000;
  await page.close();
  return [
    ['a body of 5 MB: its tab opens', ms(took), '≤ 1,000 ms'],
    ['  CPU of it', ms(cpuMs), '–'],
  ];
}

/** @typedef {{ log: object; children: Span[] }} Span */

/**
 * A tree of copies of a log, with four children each.
 * @param {object} template
 * @param {number} count
 */
function treeOf(template, count) {
  /** @type {Span[]} */
  const spans = Array.from({ length: count }, (_, at) => ({
    log: {
      ...template,
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      span_name: `step ${at}`,
    },
    children: [],
  }));
  for (const [at, span] of spans.entries()) if (at > 0) spans[(at - 1) >> 2]?.children.push(span);
  return spans.slice(0, 1);
}

/**
 * From the click on its tab until the first spans of a trace are shown, and until all are.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function trace({ open, home, log, template, cpuSeconds }) {
  const json = {
    object: 'trace',
    trace_id: template.trace_id,
    spans: treeOf(template, SPANS),
    truncated: false,
  };
  /** @type {[number, number, number][]} */
  const rounds = [];
  for (let round = 0; round < 3; round += 1) {
    const { page } = await open();
    await page.route(/\/v1\/logs\/traces\//, (route) => route.fulfill({ json }));
    await page.goto(`${home}/logs?log=${log}`);
    await page.getByText('Answered', { exact: false }).first().waitFor();
    await settle(page);
    /** @type {Promise<[first: number, all: number]>} */
    const seen = page.evaluate(`new Promise((resolve) => {
      let began = 0, first = 0;
      addEventListener('click', ({ timeStamp }) => { began = timeStamp; }, { capture: true });
      const look = (now) => {
        const count = document.querySelectorAll('.log-trace > li').length;
        if (first === 0 && count > 0) first = now - began;
        if (count < ${SPANS}) requestAnimationFrame(look);
        else requestAnimationFrame((end) => resolve([first, end - began]));
      };
      requestAnimationFrame(look);
    })`);
    const cpu = await cpuSeconds();
    await page.getByRole('tab', { name: 'Trace' }).click();
    const [first, all] = await seen;
    rounds.push([first, all, ((await cpuSeconds()) - cpu) * 1000]);
    await page.close();
  }
  const median = (/** @type {0 | 1 | 2} */ at) =>
    quantile(
      rounds.map((round) => round[at]),
      0.5,
    );
  return [
    [`a trace of ${SPANS} spans: its tab opens`, ms(median(0)), '≤ 500 ms'],
    ['  all spans are there', ms(median(1)), '–'],
    ['  CPU of it', ms(median(2)), '–'],
  ];
}

/**
 * Drawing a chart, and moving its cursor.
 * @param {Scene} scene
 * @returns {Promise<Row[]>}
 */
async function chart({ open, cpuSeconds }) {
  const { script, style } = await chartPage();
  const { page } = await open();
  await page.setContent(`<style>${style}</style><div id="root" style="width: 900px"></div>`);
  await page.addScriptTag({ content: script, type: 'module' });
  await page.waitForFunction('globalThis.drawChart !== undefined');
  /** @type {Row[]} */
  const rows = [];
  for (const as of ['lines', 'stacked']) {
    /** @type {number[]} */
    const draws = [];
    const cpu = await cpuSeconds();
    for (let round = 0; round < 5; round += 1)
      draws.push(await page.evaluate(`drawChart('${as}', 6, 10_000)`));
    const cpuMs = ((await cpuSeconds()) - cpu) * 1000;
    const box = await page.locator('.time-chart-plot').boundingBox();
    /** @type {Promise<number[]>} */
    const frames = page.evaluate(`new Promise((resolve) => {
      const frames = []; let last = performance.now(); const began = last;
      const step = (now) => { frames.push(now - last); last = now; now - began < 2_500 ? requestAnimationFrame(step) : resolve(frames.slice(2)); };
      requestAnimationFrame(step);
    })`);
    if (box === null) throw new Error('The chart is not shown.');
    for (let x = 0; x < 120; x += 1) await page.mouse.move(box.x + 60 + x * 6, box.y + 80);
    rows.push([`six series of 10,000 points, ${as}: draw`, ms(quantile(draws.slice(1), 0.5)), '≤ 200 ms']);
    rows.push(['  CPU of it', ms(cpuMs / draws.length), '–']);
    rows.push([`  cursor, frames p95`, ms(quantile(await frames, 0.95)), '≤ 16 ms beyond an empty frame']);
  }
  await page.close();
  return rows;
}

/** @type {Record<string, (scene: Scene) => Promise<Row[]>>} */
const MEASURES = { paints, interactions, body: largeBody, trace, chart, scrolling, tail };

module.exports = { MEASURES };
