module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  // What every suite starts is built once, before the first of them.
  globalSetup: '<rootDir>/tools/build-once.cjs',
  // Each suite starts the whole product, which mostly waits: two at once take little more than half the time.
  maxWorkers: 2,
  testSequencer: '<rootDir>/tools/longest-first.cjs',
  testTimeout: 60_000,
};
