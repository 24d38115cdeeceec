// Long runs over generated input, not part of `npm test`, which takes a sample of each.
module.exports = { ...require('./jest.int.cjs'), testMatch: ['**/*.fuzz-spec.ts'], maxWorkers: 1 };
