module.exports = {
  ...require('./jest.preset.cjs'),
  rootDir: __dirname,
  testMatch: ['**/*.e2e-spec.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  // Each suite starts the whole product; two at once would fight over two cores.
  maxWorkers: 1,
  testTimeout: 60_000,
};
