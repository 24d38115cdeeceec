'use strict';
// Pages of the console in Chromium, with what its own tracing says of them.
const { chromium } = require('playwright-core');
const { chromiumPath } = require('../../tools/chromium.cjs');

/** Keeps the largest paint and the longest events of a page. */
const OBSERVE = `globalThis.bench = { lcp: 0, events: [] };
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) bench.lcp = entry.startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) if (interactionId > 0) bench.events.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });`;
/** @typedef {import('playwright-core').Page} Page */

const SETTLE_MS = 1_500;

/** Starts Chromium and returns it with a function that opens pages with one session. */
async function startBrowser() {
  const executablePath = chromiumPath();
  if (executablePath === null) throw new Error('There is no Chromium; set CHROMIUM_PATH.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(120_000);
  /** A page, and its session of the protocol of the browser's tools. `slower`: how many times slower its CPU is. */
  async function open(slower = 1) {
    const page = await context.newPage();
    await page.addInitScript({ content: OBSERVE });
    const tools = await context.newCDPSession(page);
    if (slower > 1) await tools.send('Emulation.setCPUThrottlingRate', { rate: slower });
    return { page, tools };
  }
  /** CPU seconds of all processes of the browser that draw pages. */
  async function cpuSeconds() {
    const tools = await browser.newBrowserCDPSession();
    const { processInfo } = await tools.send('SystemInfo.getProcessInfo');
    await tools.detach();
    return processInfo
      .filter(({ type }) => type === 'renderer')
      .reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  }
  return { browser, context, open, cpuSeconds };
}

/**
 * @param {Page} page
 * @param {number} ms
 */
const settle = (page, ms = SETTLE_MS) => page.waitForTimeout(ms);

/**
 * Milliseconds of the longest event that an interaction made, at least 16.
 * @param {Page} page
 * @param {() => Promise<unknown>} act
 * @returns {Promise<number>}
 */
async function interaction(page, act) {
  await settle(page);
  await page.evaluate('void (bench.events.length = 0)');
  await act();
  await settle(page);
  return page.evaluate('Math.max(16, ...bench.events)');
}

/**
 * MB of the heap after a collection.
 * @param {import('playwright-core').CDPSession} tools
 */
async function heapMb(tools) {
  await tools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await tools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

module.exports = { heapMb, interaction, settle, startBrowser };
