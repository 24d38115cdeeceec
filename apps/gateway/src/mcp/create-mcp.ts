import { mcpAuthBinding, type McpServerDocument } from '@gw/contracts';
import {
  GatewayError,
  masterKeysOf,
  sealingKeyring,
  type AddressPolicy,
  type Keyring,
  type Shares,
} from '@gw/kernel';
import type { Ledger } from '@gw/limits';
import { withSandbox, type UpstreamNetwork } from '@gw/mcp-client';
import { ServiceClient, type OutboundClient } from '@gw/outbound';
import type { RoutingState } from '@gw/routing';
import type { SecretResolver } from '@gw/secret-managers';
import { createIssuedCredentials } from '../credentials/issued';
import { IdentityTokens } from '../credentials/identity-tokens';
import { ServerCredentials } from '../credentials/server-credentials';
import type { BeforeCall } from '../attempt/sender';
import type { Principals } from '../auth/principals';
import type { ReloadableDocuments } from '../auth/documents';
import type { OwnRequests } from '../core/own-requests';
import type { Faults } from '../core/faults';
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
import type { Log } from '@gw/web';
import { Aggregates } from './aggregate/aggregates';
import { ClientInputs } from './client-inputs';
import { ClientStreams } from './client-streams';
import { Endpoints } from './endpoints';
import { ChangedLists } from './list-watches/changed-lists';
import { ListWatches } from './list-watches/list-watches';
import { McpDoor, type McpDoorParts } from './mcp-door';
import { McpServers } from './mcp-servers';
import { Parking } from './parked/parking';
import { Requests } from './requests';
import { ResourceWatches } from './resource-watches/resource-watches';
import { RunningStreams } from './events/running-streams';
import { ResumedCalls } from './events/resumed-calls';
import { SessionCalls } from './sessions/session-calls';
import { SessionStates } from './sessions/session-states';
import { SessionStreams } from './sessions/session-streams';
import { StreamLeases } from './sessions/stream-leases';
import { Sampling } from './sampling/sampling';
import { SseDoor } from './sse/sse-door';
import { SseSessions } from './sse/sse-sessions';
import { createSharedState } from './shared-state';
import { serverBreakers } from './server-breakers';
import { ToolApprovals } from './tool-approvals';
import { TaskRequests } from './tasks/task-requests';
import { ToolCalls } from './tool-calls';
import { UpstreamCalls } from './upstream-calls';
import { UpstreamConnections, type ConnectionParts } from './upstream-connections';
import { McpUpstreams } from './upstreams';

export interface McpParts {
  readonly settings: GatewaySettings;
  readonly documents: ReloadableDocuments;
  readonly outbound: OutboundClient;
  readonly policy: AddressPolicy;
  readonly secrets: SecretResolver;
  readonly ledger: Ledger;
  readonly routing: Pick<RoutingState, 'health'>;
  readonly guardrails: Guardrails;
  readonly guardTools: GuardTools;
  readonly stages: Pick<PipelineStages, 'accept' | 'authenticate' | 'receive'>;
  readonly settle: Settle;
  readonly requestsInFlight: RequestsInFlight;
  /** Makes completions for servers whose sampling requests a model of the workspace answers. */
  readonly ownRequests: OwnRequests;
  readonly beforeCall: BeforeCall;
  readonly principals: Pick<Principals, 'hasEnded' | 'resolveAgain'>;
  readonly failures: FailureLog;
  readonly faults: Faults;
  /** Null when metrics are disabled. */
  readonly metrics: Pick<RequestMetrics, 'countUnlogged'> | null;
  readonly log: Log;
  /** Memory for bodies, shared by workspaces. */
  readonly bodyMemory: Shares;
}

export interface Mcp {
  readonly door: Pick<McpDoor, 'handle'>;
  /**
   * Ends streams that belong to no call, and later ones as soon as they are opened: their clients
   * open them at another gateway.
   */
  drain(): void;
  close(): void;
}

/** Creates the MCP gateway of a process. */
export function createMcp(parts: McpParts): Mcp {
  const { settings, documents, ledger, stages, requestsInFlight, principals, faults } = parts;
  const ring = sealingKeyring(...masterKeysOf(settings));
  const { publicHosts, ownHosts } = hostsOf(settings);
  const servers = new McpServers(documents);
  const endpoints = new Endpoints(servers, new Aggregates(documents, servers));
  const post = controlPlanePost(settings);
  const { connections, credentials, upstreams } = connectedParts(parts, ring, post);
  const shared = createSharedState(settings.REDIS_URL, ring, parts.log);
  const { link, events } = shared;
  const inputs = new ClientInputs(link, ring);
  const parking = new Parking(link);
  const streams = new ClientStreams((caller) => principals.hasEnded(caller));
  const watches = new ResourceWatches(upstreams);
  const lists = new ListWatches(upstreams, new ChangedLists(post, () => streams.checkSoon()));
  const runningStreams = new RunningStreams(link);
  const leases = new StreamLeases(shared.redis, link);
  const resumed = new ResumedCalls(events, runningStreams);
  const calls = new UpstreamCalls({
    ...{ upstreams, inputs, parking, credentials, connections, ring },
    sampling: new Sampling(parts.ownRequests),
    breakers: serverBreakers(parts.routing.health),
    beforeCall: parts.beforeCall,
    memory: parts.bodyMemory,
    ownHosts,
  });
  const guards = new ToolGuards(documents, parts.guardrails, parts.guardTools);
  const approvals = new ToolApprovals(post);
  const tasks = new TaskRequests({ ring, upstreams, guards, store: shared.tasks, ownHosts });
  const accounts = new ToolAccounts(ledger);
  const tools = new ToolCalls({ accounts, calls, guards, approvals, tasks });
  const states = new SessionStates(shared.sessions, link);
  const replies = repliesOf(parts);
  const streamParts = { streams, watches, lists, endpoints };
  const sseParts = { ...streamParts, sessions: new SseSessions(link, ring), states, replies, principals };
  const door = new McpDoor({
    ...{ ring, principals, endpoints, inputs, states, requestsInFlight, accounts, faults, ...stages },
    calls: new SessionCalls({ link, events, streams: runningStreams }),
    sse: settings.MCP_LEGACY_SSE ? new SseDoor(sseParts) : null,
    streams: new SessionStreams({ ...streamParts, events, leases, resumed }),
    denialStatus: settings.MCP_DENIAL_STATUS,
    publicUrl: settings.PUBLIC_GATEWAY_URL ?? null,
    failed: parts.failures,
    origins: { allowedOrigins: listOf(settings.MCP_ALLOWED_ORIGINS), publicHosts },
    requests: new Requests({ ring, endpoints, tools, tasks, calls, guards, streams, watches, lists }),
    replies,
  });
  return {
    door: settings.MCP_ENABLED ? door : NO_DOOR,
    drain: () => streams.close(),
    close: () => {
      streams.close();
      lists.close();
      parking.close();
      leases.close();
      shared.close();
      void upstreams.close();
    },
  };
}

/** Creates the parts that connect to MCP servers: user connections, credentials and upstreams. */
function connectedParts(parts: McpParts, ring: Keyring, post: ConnectionParts['post']) {
  const { settings, documents, policy, secrets } = parts;
  const issued = createIssuedCredentials(settings, policy);
  const connections = new UpstreamConnections({ documents, ring, post });
  const credentials = new ServerCredentials<McpServerDocument>({
    ...{ ring, secrets, issued, bindingOf: mcpAuthBinding },
    identity: new IdentityTokens({ documents, ring }),
    tokenOf: (server, userId) => connections.tokenOf(server, userId),
  });
  const upstreams = new McpUpstreams({ network: networkOf(parts), credentials, memory: parts.bodyMemory });
  return { connections, credentials, upstreams };
}

function repliesOf({ settings, settle, requestsInFlight, metrics }: McpParts): McpDoorParts['replies'] {
  return {
    settle,
    release: (context) => {
      metrics?.countUnlogged(context);
      requestsInFlight.leave(context);
      context.releaseBody();
    },
    keepAlive: new KeepAlive(settings.STREAM_KEEP_ALIVE),
    keepBytes: settings.LOG_BODY_MAX_BYTES,
  };
}

/**
 * Returns the network through which servers are reached, with the sandbox's server where the
 * sandbox is enabled.
 */
function networkOf({ settings, outbound: client, policy }: McpParts): UpstreamNetwork {
  const network = { client, policy };
  return settings.SANDBOX_ENABLED ? withSandbox(network) : network;
}

/** Few connections suffice: a token is renewed once for all calls that need it. */
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

/**
 * Returns the hosts that clients may name, and those of this installation, to which no server may
 * send users.
 */
function hostsOf({ PUBLIC_HOSTS, PUBLIC_GATEWAY_URL, CONSOLE_URL }: GatewaySettings): {
  readonly publicHosts: readonly string[];
  readonly ownHosts: readonly string[];
} {
  const publicHosts = listOf(PUBLIC_HOSTS);
  const addresses = [PUBLIC_GATEWAY_URL, CONSOLE_URL].flatMap((url) =>
    url === null ? [] : [new URL(url).host],
  );
  return { publicHosts, ownHosts: [...publicHosts.map((host) => host.toLowerCase()), ...addresses] };
}
