const { join } = require('node:path');
const { ROOT } = require('../runtime.cjs');

require('../typescript.cjs');
const { directTarget } = require('../../libs/testing/src/mcp/conformance-targets.ts');

/** @typedef {import('../../libs/testing/src/mcp/conformance-targets.ts').ConformanceTarget} ConformanceTarget */

const GATEWAY = join(ROOT, 'apps/gateway/src/mcp/spec-support/conformance-target.ts');

/**
 * Systems under test by name. The gateway is loaded only when it is tested.
 * @type {Readonly<Record<string, () => ConformanceTarget>>}
 */
const TARGETS = {
  direct: () => directTarget,
  gateway: () => require(GATEWAY).gatewayTarget,
  toolset: () => require(GATEWAY).toolsetTarget,
};

module.exports = { TARGETS };
