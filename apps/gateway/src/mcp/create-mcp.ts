import { GatewayError, masterKeysOf, sealingKeyring, type AddressPolicy } from '@gw/kernel';
import type { Ledger } from '@gw/limits';
import { withSandbox } from '@gw/mcp-client';
import { ServiceClient, type OutboundClient } from '@gw/outbound';
import type { SecretResolver } from '@gw/secret-managers';
import { createIssuedCredentials } from '../credentials/issued';
import type { BeforeCall } from '../attempt/sender';
import type { Principals } from '../auth/principals';
import type { Documents } from '../auth/documents';
import type { FailureLog, PipelineStages } from '../core/pipeline';
import type { GuardTools } from '../guardrails/guarded-request';
import type { Guardrails } from '../guardrails/guardrails';
import { ToolGuards } from '../guardrails/tool-guards';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { ToolAccounts } from '../limits/tool-accounts';
import type { RequestMetrics } from '../metrics/request-metrics';
import { KeepAlive } from '../reply/keep-alive';
import type { Settle } from '../reply/reply';
import { listOf, type GatewaySettings } from '../settings';
import { ClientInputs } from './client-inputs';
import { ClientStreams } from './client-streams';
import { McpDoor } from './mcp-door';
import { McpServers } from './mcp-servers';
import { Requests } from './requests';
import { ResourceWatches } from './resource-watches';
import { SessionStates } from './session-states';
import { ToolCalls } from './tool-calls';
import { UpstreamCalls } from './upstream-calls';
import { UpstreamConnections, type ConnectionParts } from './upstream-connections';
import { UpstreamCredentials } from './upstream-credentials';
import { McpUpstreams } from './upstreams';

export interface McpParts {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
  readonly outbound: OutboundClient;
  readonly policy: AddressPolicy;
  readonly secrets: SecretResolver;
  readonly ledger: Ledger;
  readonly guardrails: Guardrails;
  readonly guardTools: GuardTools;
  readonly stages: Pick<PipelineStages, 'accept' | 'authenticate' | 'receive'>;
  readonly settle: Settle;
  readonly underWay: RequestsInFlight;
  readonly beforeCall: BeforeCall;
  readonly principals: Pick<Principals, 'hasEnded'>;
  readonly failures: FailureLog;
  /** Null when metrics are disabled. */
  readonly metrics: Pick<RequestMetrics, 'countUnlogged'> | null;
}

export interface Mcp {
  readonly door: Pick<McpDoor, 'handle'>;
  close(): void;
}

/** Creates the MCP gateway of a process. */
export function createMcp(parts: McpParts): Mcp {
  const { settings, documents, outbound, policy, secrets, ledger, stages, settle, underWay } = parts;
  const ring = sealingKeyring(...masterKeysOf(settings));
  const publicHosts = listOf(settings.PUBLIC_HOSTS);
  const servers = new McpServers(documents);
  const issued = createIssuedCredentials(settings, policy);
  const connections = new UpstreamConnections({ documents, ring, post: controlPlanePost(settings) });
  const credentials = new UpstreamCredentials({ ring, secrets, issued, connections });
  const network = { client: outbound, policy };
  const upstreams = new McpUpstreams({
    network: settings.SANDBOX_ENABLED ? withSandbox(network) : network,
    credentials,
  });
  const inputs = new ClientInputs();
  const streams = new ClientStreams((caller) => parts.principals.hasEnded(caller));
  const watches = new ResourceWatches(upstreams);
  const calls = new UpstreamCalls({
    ...{ upstreams, inputs, credentials, connections, ring },
    beforeCall: parts.beforeCall,
    ownHosts: publicHosts,
  });
  const guards = new ToolGuards(documents, parts.guardrails, parts.guardTools);
  const tools = new ToolCalls({ accounts: new ToolAccounts(ledger), calls, guards });
  const door = new McpDoor({
    ...{ ring, servers, inputs, streams, watches, underWay, ...stages },
    states: new SessionStates(),
    denialStatus: settings.MCP_DENIAL_STATUS,
    publicUrl: settings.PUBLIC_GATEWAY_URL ?? null,
    failed: parts.failures,
    origins: { allowedOrigins: listOf(settings.MCP_ALLOWED_ORIGINS), publicHosts },
    requests: new Requests({ ring, servers, tools, calls, guards, streams, watches }),
    replies: {
      settle,
      release: (context) => {
        parts.metrics?.countUnlogged(context);
        underWay.leave(context);
        context.giveBack();
      },
      keepAlive: new KeepAlive(settings.STREAM_KEEP_ALIVE),
      keepBytes: settings.LOG_BODY_MAX_BYTES,
    },
  });
  return {
    door: settings.MCP_ENABLED ? door : NO_DOOR,
    close: () => {
      streams.close();
      void upstreams.close();
    },
  };
}

/** Few calls at a time: a token is renewed once for all calls that need it. */
const CONTROL_PLANE = new ServiceClient({ timeoutMs: 30_000, connections: 8, bytesMax: 65_536 });

const controlPlanePost =
  ({ ADMIN_URL, SERVICE_TOKEN }: GatewaySettings): ConnectionParts['post'] =>
  async (path, body) => {
    const { status, body: bytes } = await CONTROL_PLANE.call({
      url: ADMIN_URL.replace(/\/$/, '') + path,
      method: 'POST',
      headers: { authorization: `Bearer ${SERVICE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (status >= 300) throw new Error(`The control plane responded with ${String(status)}.`);
    return JSON.parse(bytes.toString('utf8')) as unknown;
  };

const NO_DOOR: Mcp['door'] = {
  handle: () => {
    throw new GatewayError('route_not_found');
  },
};
