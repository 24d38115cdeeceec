// Client that the conformance suite runs for each authorization scenario. Its argument is the URL
// of the server.
const { join } = require('node:path');
const { ROOT, runMain } = require('../runtime.cjs');

require('../typescript.cjs');
const CLIENT = join(ROOT, 'apps/admin-api/src/resources/mcp-connections/spec-support/conformance-client.ts');

runMain(() => {
  const { TOLLGATE_CONFORMANCE_PRODUCT: product = '{}', MCP_CONFORMANCE_CONTEXT: context = '{}' } =
    process.env;
  const { playScenario } = require(CLIENT);
  return playScenario(JSON.parse(product), process.argv.at(-1) ?? '', JSON.parse(context));
});
