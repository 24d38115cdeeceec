require('../typescript.cjs');
const { directTarget } = require('../../libs/testing/src/mcp/conformance-targets.ts');

/** @typedef {import('../../libs/testing/src/mcp/conformance-targets.ts').ConformanceTarget} ConformanceTarget */

/**
 * Systems under test by name.
 * @type {Readonly<Record<string, ConformanceTarget>>}
 */
const TARGETS = { direct: directTarget };

module.exports = { TARGETS };
