import { CROSSED_RUNS, startKeyProxy, STRAIGHT_RUNS, type ConformanceTarget } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveServer, serverDocument } from './mcp-server';

/** The gateway with one server per run, behind a proxy that adds the API key. */
export const gatewayTarget: ConformanceTarget = {
  runs: [...STRAIGHT_RUNS, ...CROSSED_RUNS],
  start: async () => {
    const gateway = await GatewayHarness.start({ MCP_ALLOWED_ORIGINS: 'http://127.0.0.1' });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    let count = 0;
    return {
      open: async ({ url }) => {
        count += 1;
        const slug = `fixture-${String(count)}`;
        const configurations = { allow_sampling: true };
        saveServer(gateway, await serverDocument(url, slug, { configurations }));
        const address = new URL(`http://127.0.0.1:${String(gateway.port)}/main/${slug}/mcp`);
        return startKeyProxy(address, { 'x-gw-api-key': gateway.apiKey });
      },
      stop: () => gateway.stop(),
    };
  },
};
