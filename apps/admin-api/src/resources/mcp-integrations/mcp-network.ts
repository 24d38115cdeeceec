import type { AddressPolicy } from '@gw/kernel';
import { withSandbox, type UpstreamNetwork } from '@gw/mcp-client';
import { OutboundClient } from '@gw/outbound';
import type { FactoryProvider } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import { SETTINGS, type AdminSettings } from '../../settings';

/**
 * Injection token of the `UpstreamNetwork` through which MCP servers are read; it also serves the
 * sandbox server if that is enabled.
 */
export const MCP_NETWORK = Symbol('MCP_NETWORK');

export const MCP_NETWORK_PROVIDER: FactoryProvider<UpstreamNetwork> = {
  provide: MCP_NETWORK,
  inject: [OutboundClient, ADDRESS_POLICY, SETTINGS],
  useFactory: (client: OutboundClient, policy: AddressPolicy, { SANDBOX_ENABLED }: AdminSettings) =>
    SANDBOX_ENABLED ? withSandbox({ client, policy }) : { client, policy },
};
