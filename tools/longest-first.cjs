// Jest's order of all tests: without the times of an earlier run it goes by the sizes of files, and what takes
// longest would run last and alone.
const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  ...['cli', 'launcher', 'durability', 'jobs', 'addresses', 'mcp-control', 'outage', 'control-plane'],
  ...['endings', 'three-ledgers', 'faults-clock', 'pages', 'limits', 'mcp-roll', 'faults-spending'],
  ...['rolling-restart', 'keys', 'first-minute', 'faults-bursts', 'mcp', 'mcp-endings', 'starts'],
  ...['calls', 'resources', 'prompts', 'logs', 'canaries'],
  ...['tenancy-matrix', 'route-rules', 'query-parameters', 'log-exports', 'identifiers', 'cli-files'],
  ...['rights-matrix', 'embedded-postgres', 'read-model', 'ledger', 'answer-shares'],
  ...['log-poison', 'boundaries', 'expressions', 'transfers', 'matrix', 'log-zone', 'cli-files-plan'],
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
