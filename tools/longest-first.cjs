// Jest's order of the integration and end-to-end tests: without the times of an earlier run it goes by the sizes of files, and what takes
// longest would run last and alone.
const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  'three-ledgers',
  'durability',
  'faults-clock',
  'cli',
  'launcher',
  'control-plane',
  'faults-bursts',
  'query-parameters',
  'route-rules',
  'tenancy-matrix',
  'identifiers',
  'read-model',
  'path-ids',
  'log-exports',
  'embedded-postgres',
  'ledger',
];

const rankOf = ({ path }) => {
  const rank = LONG.indexOf(basename(path).split('.')[0]);
  return rank < 0 ? LONG.length : rank;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
  }
};
