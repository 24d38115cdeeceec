import { withSandboxCalls } from '@gw/a2a-client';
import { BufferedClient } from '@gw/outbound';
import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS, type AdminSettings } from '../../settings';

/** HTTP client with which cards are read and agents are tested. */
export type AgentHttp = Pick<BufferedClient, 'fetchBuffered'>;

/** Injection token of `AgentHttp`; it also serves the sandbox agent if that is enabled. */
export const AGENT_HTTP = Symbol('AGENT_HTTP');

export const AGENT_HTTP_PROVIDER: FactoryProvider<AgentHttp> = {
  provide: AGENT_HTTP,
  inject: [BufferedClient, SETTINGS],
  useFactory: (http: BufferedClient, { SANDBOX_ENABLED }: AdminSettings) =>
    SANDBOX_ENABLED ? withSandboxCalls(http) : http,
};
