import { agentAuthBinding } from '@gw/contracts';
import {
  GatewayError,
  masterKeysOf,
  parseTrustedHosts,
  sealingKeyring,
  type AddressPolicy,
  type Keyring,
  type Shares,
} from '@gw/kernel';
import { AgentClient, withSandboxAgent } from '@gw/a2a-client';
import type { Ledger } from '@gw/limits';
import type { OutboundClient } from '@gw/outbound';
import type { RoutingState } from '@gw/routing';
import type { SecretResolver } from '@gw/secret-managers';
import type { Log } from '@gw/web';
import type { BeforeCall } from '../attempt/sender';
import type { Documents } from '../auth/documents';
import type { Principals } from '../auth/principals';
import type { Faults } from '../core/faults';
import type { FailureLog, PipelineStages } from '../core/pipeline';
import { createIssuedCredentials } from '../credentials/issued';
import { IdentityTokens } from '../credentials/identity-tokens';
import { ServerCredentials } from '../credentials/server-credentials';
import type { GuardTools } from '../guardrails/guarded-request';
import type { Guardrails } from '../guardrails/guardrails';
import { ToolGuards } from '../guardrails/tool-guards';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { CallPlaces } from '../limits/call-places';
import { ToolAccounts } from '../limits/tool-accounts';
import { KeepAlive } from '../reply/keep-alive';
import type { Settle } from '../reply/reply';
import type { GatewaySettings } from '../settings';
import { agentBreakers } from './agent-breakers';
import { AgentCalls } from './agent-calls';
import { AgentGuards } from './agent-guards';
import { AgentServers } from './agent-servers';
import { AgentsDoor, type AgentsDoorParts } from './agents-door';
import { AgentCards } from './cards/agent-cards';
import { CardSigners } from './cards/card-signer';
import { Messages } from './messages';
import { Operations } from './operations';
import { TaskCalls } from './task-calls';
import { TaskLists } from './task-lists';
import { createPushStores } from './push/create-push-stores';
import { PushAgents } from './push/push-agents';
import { PushConfigs } from './push/push-configs';
import { PushDelivery } from './push/push-delivery';
import { PushDoor } from './push/push-door';
import { PushPollers } from './push/push-pollers';
import { pushRules } from './push/push-rules';
import { PushSender } from './push/push-sender';
import { Catalogue } from './cards/catalogue';
import { CallerTasks } from './tasks/caller-tasks';
import { createTaskStore } from './tasks/create-task-store';
import type { TaskStore } from './tasks/task-store';

export interface AgentParts {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
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
  readonly beforeCall: BeforeCall;
  readonly principals: Pick<Principals, 'rightOf'>;
  readonly failures: FailureLog;
  readonly faults: Faults;
  readonly log: Log;
  /** Memory for bodies, shared by workspaces. */
  readonly bodyMemory: Shares;
}

export interface Agents {
  readonly door: Pick<AgentsDoor, 'handle'>;
  close(): void;
}

/**
 * Creates the agent (A2A) gateway of a process. With `A2A_ENABLED` off, its paths do not exist; the
 * parts are created nevertheless, because they do nothing without requests.
 */
export function createAgents(parts: AgentParts): Agents {
  const { settings, documents, ledger, stages, requestsInFlight } = parts;
  const ring = sealingKeyring(...masterKeysOf(settings));
  const store = createTaskStore(settings.REDIS_URL, parts.log);
  const tasks = new CallerTasks(store);
  const guards = new AgentGuards(new ToolGuards(documents, parts.guardrails, parts.guardTools));
  const calls = callsOf(parts, ring);
  const publicUrl = settings.PUBLIC_GATEWAY_URL ?? null;
  const cards = new AgentCards({ publicUrl, signers: new CardSigners(documents, ring) });
  const servers = new AgentServers(documents, publicUrl !== null);
  const push = createPush(parts, { ring, publicUrl, store, tasks, calls });
  const accounts = new ToolAccounts(ledger);
  const door = new AgentsDoor({
    requestsInFlight,
    accounts,
    faults: parts.faults,
    publicUrl,
    cards,
    servers,
    accept: stages.accept,
    authenticate: stages.authenticate,
    receive: stages.receive,
    catalogue: new Catalogue(documents, servers, publicUrl),
    push: push.door,
    failed: parts.failures,
    memory: parts.bodyMemory,
    operations: new Operations({
      places: new CallPlaces(),
      guards,
      messages: new Messages({
        accounts,
        guards,
        tasks,
        calls,
        push: push.configs,
      }),
      tasks: new TaskCalls({ guards, tasks, calls }),
      lists: new TaskLists({ guards, tasks, calls }),
      cards,
      push: push.configs,
    }),
    replies: repliesOf(parts),
  });
  return {
    door: settings.A2A_ENABLED ? door : NO_DOOR,
    close: () => {
      push.close();
      store.close();
    },
  };
}

/** Creates the client that calls agents with the credentials of their integrations. */
function callsOf(parts: AgentParts, ring: Keyring): AgentCalls {
  const { settings, documents, outbound, policy, secrets } = parts;
  const network = { client: outbound, policy };
  return new AgentCalls({
    client: new AgentClient(settings.SANDBOX_ENABLED ? withSandboxAgent(network) : network),
    credentials: new ServerCredentials({
      ring,
      secrets,
      issued: createIssuedCredentials(settings, policy),
      bindingOf: agentAuthBinding,
      tokenOf: noUsers,
      identity: new IdentityTokens({ documents, ring }),
    }),
    breakers: agentBreakers(parts.routing.health),
    beforeCall: parts.beforeCall,
  });
}

interface PushNeeds {
  readonly ring: Keyring;
  readonly publicUrl: string | null;
  readonly store: TaskStore;
  readonly tasks: CallerTasks;
  readonly calls: AgentCalls;
}

/**
 * Creates the parts of push notifications: the configs, the delivery to clients, and the endpoint
 * that receives notifications of agents.
 */
function createPush(
  { settings, documents, outbound, policy, principals, bodyMemory, log }: AgentParts,
  { ring, publicUrl, store: taskStore, tasks, calls }: PushNeeds,
): { readonly configs: PushConfigs; readonly door: PushDoor; close(): void } {
  const { store, leases } = createPushStores(settings.REDIS_URL, log);
  const rules = pushRules(policy, publicUrl, parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS));
  const agents = new PushAgents(documents);
  const sender = new PushSender({ outbound, rules, ring, agents, store, log });
  const delivery = new PushDelivery({ store, tasks: taskStore, sender });
  const pollers = new PushPollers({ agents, store, leases, calls, delivery, memory: bodyMemory });
  return {
    configs: new PushConfigs({ ring, rules, publicUrl, calls, tasks, pollers, store, principals }),
    door: new PushDoor({ agents, store, ring, delivery }),
    close: () => {
      for (const part of [pollers, sender, store]) part.close();
    },
  };
}

function repliesOf({ settings, settle, requestsInFlight }: AgentParts): AgentsDoorParts['replies'] {
  return {
    settle,
    release: (context) => {
      requestsInFlight.leave(context);
      context.releaseBody();
    },
    keepAlive: new KeepAlive(settings.STREAM_KEEP_ALIVE),
    keepBytes: settings.LOG_BODY_MAX_BYTES,
  };
}

function noUsers(): never {
  throw new GatewayError('provider_credential_failed', {
    message: 'Agents at which users sign in themselves cannot be called; give the integration a credential.',
  });
}

const NO_DOOR: Agents['door'] = {
  handle: () => {
    throw new GatewayError('route_not_found');
  },
};
