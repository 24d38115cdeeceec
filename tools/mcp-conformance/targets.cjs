require('../typescript.cjs');
const { directTarget, STRAIGHT_RUNS } = require('../../libs/testing/src/mcp/conformance-targets.ts');

/** @typedef {import('../../libs/testing/src/mcp/conformance-targets.ts').ConformanceRun} ConformanceRun */
/** @typedef {import('../../libs/testing/src/mcp/conformance-targets.ts').ConformanceTarget} ConformanceTarget */

/**
 * Systems under test by name. Each opens an address in front of a fixture and lists the runs that it must pass.
 * @type {Readonly<Record<'direct', { readonly open: ConformanceTarget, readonly runs: readonly ConformanceRun[] }>>}
 */
const TARGETS = {
  direct: { open: directTarget, runs: STRAIGHT_RUNS },
};

module.exports = { TARGETS };
