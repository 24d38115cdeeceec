const { availableParallelism } = require('node:os');
const { chromiumPath } = require('./tools/chromium.cjs');

const chromium = chromiumPath();
if (chromium !== null) process.env.CHROMIUM_PATH = chromium;
/** Without a browser the journeys of the console are left out, except where they are required. */
const withoutBrowser =
  chromium === null && process.env.CONSOLE_BROWSER !== 'required' ? ['/apps/console/browser/'] : [];

module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...withoutBrowser],
  // What every suite starts is built and set up once, before the first of them.
  globalSetup: '<rootDir>/tools/prepared-product.cjs',
  globalTeardown: '<rootDir>/tools/prepared-product-removal.cjs',
  // Each suite starts the whole product, which waits much of the time.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testSequencer: '<rootDir>/tools/longest-first.cjs',
  testTimeout: 300_000,
};
