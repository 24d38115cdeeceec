// Jest's order of all tests: without the times of an earlier run it goes by the sizes of files, and what takes
// longest would run last and alone.
const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  ...['durability', 'cli', 'three-ledgers', 'faults-clock', 'launcher', 'control-plane', 'rolling-restart'],
  ...['faults-spending', 'starts', 'outage', 'faults-bursts', 'resources', 'prompts', 'logs', 'canaries'],
  ...['tenancy-matrix', 'route-rules', 'query-parameters', 'log-exports', 'identifiers', 'cli-files'],
  ...['rights-matrix', 'embedded-postgres', 'addresses', 'read-model', 'ledger', 'answer-shares'],
  ...['log-poison', 'boundaries', 'expressions', 'keys', 'transfers', 'matrix', 'log-zone', 'cli-files-plan'],
  ...['bound-secrets', 'path-ids', 'openapi', 'postgres-analytics', 'mcp-mappings', 'log-stream'],
];

/** @param {import('@jest/test-result').Test} test */
const rankOf = ({ path }) => {
  const rank = LONG.indexOf(basename(path).replace(/\..*/, ''));
  return rank < 0 ? LONG.length : rank;
};

module.exports = class LongestFirst extends Sequencer {
  /** @override @param {import('@jest/test-result').Test[]} tests */
  async sort(tests) {
    return (await super.sort(tests)).sort((one, other) => rankOf(one) - rankOf(other));
  }
};
