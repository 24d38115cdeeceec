import type { McpServerDocument } from '@gw/contracts';
import { CROSSED_RUNS, startKeyProxy, STRAIGHT_RUNS, type ConformanceTarget } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { member, saveToolset } from './aggregate';
import { startListReader } from './list-reader';
import { saveServer, serverDocument } from './mcp-server';

/**
 * The gateway with one server per run, behind a proxy that adds the API key. `slugOf`: the address
 * to test.
 */
const gatewayWith = (
  slugOf: (gateway: GatewayHarness, server: McpServerDocument) => string,
): ConformanceTarget => ({
  runs: [...STRAIGHT_RUNS, ...CROSSED_RUNS],
  start: async () => {
    const reader = await startListReader();
    const gateway = await GatewayHarness.start({
      ...{ MCP_ALLOWED_ORIGINS: 'http://127.0.0.1', ADMIN_URL: reader.url },
    });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    let count = 0;
    return {
      open: async ({ url }) => {
        count += 1;
        const configurations = { allow_sampling: true };
        const server = await serverDocument(url, `fixture-${String(count)}`, { configurations });
        saveServer(gateway, server);
        reader.reads(server.integrationId, async () => {
          const { server: about, capabilities } = await serverDocument(url, server.slug);
          saveServer(gateway, { ...server, server: about, capabilities });
        });
        const slug = slugOf(gateway, server);
        const address = new URL(`http://127.0.0.1:${String(gateway.port)}/main/${slug}/mcp`);
        return startKeyProxy(address, { 'x-gw-api-key': gateway.apiKey });
      },
      stop: async () => {
        await gateway.stop();
        await reader.close();
      },
    };
  },
});

export const gatewayTarget = gatewayWith((_gateway, { slug }) => slug);

/** The same server as the only member of a toolset, without a prefix. */
export const toolsetTarget = gatewayWith((gateway, server) => {
  const slug = `of-${server.slug}`;
  saveToolset(gateway, { slug, members: [member(server, { prefix: '' })] });
  return slug;
});
