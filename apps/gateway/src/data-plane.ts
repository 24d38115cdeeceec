import { join } from 'node:path';
import type { Journal, Sealer } from '@gw/journal';
import {
  masterKeysOf,
  createAddressPolicy,
  parseTrustedHosts,
  sealingKeyring,
  Shares,
  type AddressPolicy,
} from '@gw/kernel';
import { GuardrailRunner } from '@gw/guardrails';
import type { LedgerStore } from '@gw/limits';
import { NameResolver, OutboundClient } from '@gw/outbound';
import type { Provider } from '@gw/providers';
import { createRoutingState, type RoutingState } from '@gw/routing';
import type { SecretResolver } from '@gw/secret-managers';
import { describeFault, HealthBoard, type Log, type Part, type ServerDrain } from '@gw/web';
import { Guardrails } from './guardrails/guardrails';
import { ModelCalls } from './guardrails/model-calls';
import { OutboundPort } from './guardrails/outbound-port';
import { ControlPlaneProxy } from './http/control-plane/control-plane-proxy';
import { createDoor } from './http/create-door';
import type { FrontDoor } from './http/front-door';
import { Overload, pressureOf } from './health/overload';
import { Spool } from './bodies/spool/spool';
import type { UpgradeHandler } from './http/server';
import type { Accounts } from './limits/accounts';
import type { ChargesAlone } from './record/charges-alone';
import type { HolderNames } from './limits/holder-names';
import { partsOfRequests } from './limits/limit-parts';
import { createLimits, type Limits } from './limits/create-limits';
import { createAttempts } from './attempt/create-attempts';
import { IdempotencyStage } from './idempotency/idempotency.stage';
import { ReplayedReply } from './idempotency/replayed-reply.stage';
import { BackgroundChecks } from './guardrails/background-checks';
import type { GuardTools } from './guardrails/guarded-request';
import { KeepAlive } from './reply/keep-alive';
import { Pipeline, type FailureLog, type PipelineStages } from './core/pipeline';
import { PromptStage } from './prompts/prompt.stage';
import { RenderedReply } from './prompts/rendered-reply.stage';
import type { Settle } from './reply/reply';
import type { Faults } from './core/faults';
import { Settlement } from './core/settlement';
import { UnsettledRequests } from './core/unsettled-requests';
import { type TargetPricer } from './usage/use';
import { createInFlight } from './in-flight/create-in-flight';
import type { InFlightLog } from './in-flight/in-flight-log';
import type { RequestsInFlight } from './in-flight/requests-in-flight';
import { EndedCallers } from './in-flight/ended-callers';
import { interruptAll } from './in-flight/interrupt-all';
import type { RequestMetrics } from './metrics/request-metrics';
import { AcceptStage } from './accept/accept.stage';
import { AdmitStage } from './limits/admit.stage';
import type { AttemptStage } from './attempt/attempt.stage';
import { AuthenticateStage } from './auth/authenticate.stage';
import { ReceiveStage } from './bodies/receive.stage';
import { ReplyStage } from './reply/reply.stage';
import { ResolveStage } from './configs/resolve.stage';
import { ValidateStage } from './routes/validate.stage';
import { createRealtime } from './realtime/realtime';
import { memoryOfProcess } from './health/memory-caps';
import type { GatewaySettings } from './settings';
import { RefusedRequests } from './record/refused-requests';
import { createResponseStores, type ResponseStores } from './cache/response-stores';
import { createBreakers } from './attempt/breakers';
import { Configs } from './configs/configs';
import { createAgents } from './agents/create-agents';
import { OwnRequests } from './core/own-requests';
import { createMcp } from './mcp/create-mcp';
import { createPrincipals } from './auth/create-principals';
import type { ReloadableDocuments } from './auth/documents';
import type { Principals } from './auth/principals';
import { Prompts } from './prompts/prompts';
import { createSecrets } from './credentials/secrets';

/** Maximum number of connection pools to providers: one for each origin and tenant. */
const POOLS_MAX = 10_000;
const PROVIDER_KEEP_ALIVE_MS = 30_000;

/** Health parts of the process that exist for its whole lifetime. */
export interface ProcessHealth {
  readonly parts: readonly Part[];
  isReady(): boolean;
}

export interface DataPlaneParts {
  readonly settings: GatewaySettings;
  readonly documents: ReloadableDocuments;
  /** Known providers, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  readonly journal: Journal;
  /** The journal's directory, and the sealer that encrypts its contents. */
  readonly home: { readonly directory: string; readonly sealer: Sealer };
  readonly health: ProcessHealth;
  readonly drain: Pick<ServerDrain, 'isAnnounced' | 'whenAnnounced'>;
  readonly log: Log;
  readonly faults: Faults;
  readonly gatewayId: string;
  /** Store from which lost budget counters are rebuilt; null when they restart at zero. */
  readonly balances: LedgerStore | null;
  /** Receives the charges of records that the journal could not store; null when they are lost. */
  readonly chargesAlone: ChargesAlone | null;
  /** Null when the names of earlier processes are not known. */
  readonly holderNames: HolderNames | null;
  /** Null when metrics are disabled. */
  readonly metrics: RequestMetrics | null;
}

export interface DataPlane {
  readonly door: FrontDoor;
  /** Handles WebSocket requests. */
  readonly realtime: UpgradeHandler;
  readonly routing: RoutingState;
  readonly overload: Overload;
  readonly outbound: Pick<OutboundClient, 'stats'>;
  readonly requestsInFlight: RequestsInFlight;
  readonly inFlight: InFlightLog;
  readonly refused: Pick<RefusedRequests, 'counts' | 'unlogged'>;
  /**
   * Ends all in-flight requests and refuses all later ones. Resolves when their responses are sent,
   * or after two seconds.
   */
  interrupt(): Promise<void>;
  close(): void;
}

/** Creates the request path. No request passes through Nest. */
export function createDataPlane(parts: DataPlaneParts): DataPlane {
  const { settings, documents, providers, log, metrics, faults } = parts;
  const policy = policyOf(settings);
  const names = new NameResolver();
  const outbound = outboundClient(settings, policy, names);
  const controlPlane = new ControlPlaneProxy(settings);
  const breakers = createBreakers(settings.REDIS_URL, log);
  const routing = createRoutingState({ store: breakers.store });
  const limits = createLimits(parts);
  const { requestsInFlight, inFlight, beforeCall } = createInFlight(parts, limits.lostUses);
  const responses = createResponseStores(settings, log);
  const { settle, settleCheck, refused } = settlementOf(parts, limits, routing, inFlight);
  const stopListening = routing.health.listen(Date.now);
  const shared = {
    ...{ settings, documents, providers, policy, routing, outbound, responses, settle, beforeCall, metrics },
    principals: createPrincipals(settings, { documents, policy, log }),
    accounts: limits.accounts,
    pricer: limits.pricer,
    secrets: createSecrets(settings, policy),
    bodyMemory: new Shares(settings.MAX_BODY_MEMORY),
  };
  const { overload, health } = watched(parts, limits, shared.secrets);
  const { attempts, attempt } = createAttempts(shared);
  const configs = configsOf(parts, policy);
  const guardTools = guardToolsOf(
    outbound,
    policy,
    new ModelCalls(configs, attempt, limits.accounts, settleCheck),
  );
  const guardrails = guardrailsOf(parts, shared.secrets, policy);
  const stages = stagesOf({ ...shared, configs, attempt, guardrails, guardTools, overload });
  const failures = failureLog(log);
  const realtime = createRealtime({ ...shared, stages, attempts, failures, faults, requestsInFlight });
  const pipeline = new Pipeline(stages, failures, requestsInFlight, faults);
  const ended = EndedCallers.start({ ...shared, requestsInFlight });
  const own = { stages, requestsInFlight, failures, faults, log };
  const servers = { ...shared, ...limits, guardrails, guardTools, ...own };
  const ownRequests = new OwnRequests(stages, failures, requestsInFlight, faults);
  const mcp = createMcp({ ...servers, ownRequests });
  parts.drain.whenAnnounced(() => mcp.drain());
  const agents = createAgents(servers);
  const doors = { pipeline, controlPlane, stages, mcp, agents };
  const door = createDoor({ ...parts, ...limits, ...doors, board: health });
  return {
    ...{ realtime: realtime.door, routing, overload, outbound, requestsInFlight, inFlight, refused, door },
    interrupt: () => interruptAll({ door, realtime, outbound, requestsInFlight }),
    close: () => {
      stopListening();
      for (const part of [overload, health]) part.stop();
      for (const part of [mcp, agents, realtime, breakers, responses, limits, outbound, names, ended])
        part.close();
      for (const part of [shared.principals, controlPlane]) part.close();
    },
  };
}

/** Creates the parts that monitor the process: its health and its load. */
function watched(parts: DataPlaneParts, limits: Limits, secrets: SecretResolver) {
  const overload = new Overload(pressureOf(memoryOfProcess(parts.settings.GATEWAY_WORKERS)));
  const requests = partsOfRequests(limits, secrets);
  const health = new HealthBoard([...parts.health.parts, ...requests, overload.part]);
  overload.start();
  health.start();
  return { overload, health };
}

const configsOf = ({ documents, providers }: DataPlaneParts, policy: AddressPolicy): Configs =>
  new Configs(documents, { isKnownProvider: (id) => providers.has(id), checkHost: hostRule(policy) });

function guardrailsOf(
  { settings, documents }: DataPlaneParts,
  secrets: SecretResolver,
  policy: AddressPolicy,
): Guardrails {
  const ring = sealingKeyring(...masterKeysOf(settings));
  return new Guardrails(documents, ring, secrets, hostRule(policy));
}

const policyOf = ({ TRUSTED_CUSTOM_HOSTS }: GatewaySettings) =>
  createAddressPolicy({ trustedHosts: parseTrustedHosts(TRUSTED_CUSTOM_HOSTS) });

function settlementOf(
  { journal, settings, gatewayId, metrics, chargesAlone, log, faults }: DataPlaneParts,
  { accounts, pricer, lostUses }: Limits,
  { statistics }: RoutingState,
  inFlight: InFlightLog,
): Settlement {
  const own = { gatewayId, chargesAlone, faults, inFlight };
  return new Settlement(journal, accounts, pricer, statistics, {
    ...own,
    bodyMaxBytes: settings.LOG_BODY_MAX_BYTES,
    metrics,
    refused: new RefusedRequests(log),
    unsettled: new UnsettledRequests({ ...own, journal, accounts, lostUses }),
  });
}

const outboundClient = (
  settings: GatewaySettings,
  policy: AddressPolicy,
  names: NameResolver,
): OutboundClient =>
  new OutboundClient({
    policy,
    lookup: names.lookup,
    proxy: { httpProxy: settings.HTTP_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy: settings.NO_PROXY },
    maxConnectionsPerOrigin: settings.MAX_CONNECTIONS_PER_PROVIDER,
    maxPools: POOLS_MAX,
    keepAliveTimeoutMs: PROVIDER_KEEP_ALIVE_MS,
  });

const failureLog =
  (log: Log): FailureLog =>
  (context, error) => {
    log.warn({ requestId: context.id, ...describeFault(error) }, 'request failed');
  };

interface StageParts {
  readonly settings: GatewaySettings;
  readonly documents: ReloadableDocuments;
  readonly principals: Principals;
  readonly configs: Configs;
  readonly accounts: Accounts;
  readonly pricer: Pick<TargetPricer, 'price'>;
  readonly settle: Settle;
  readonly attempt: AttemptStage;
  readonly responses: ResponseStores;
  readonly guardrails: Guardrails;
  readonly guardTools: GuardTools;
  readonly overload: Overload;
  /** Memory for bodies of requests, and for responses of MCP servers and agents. */
  readonly bodyMemory: Shares;
}

function stagesOf({
  settings,
  documents,
  principals,
  configs,
  accounts,
  pricer,
  settle,
  attempt,
  responses,
  guardrails,
  guardTools,
  overload,
  bodyMemory,
}: StageParts): PipelineStages {
  const keepAlive = new KeepAlive(settings.STREAM_KEEP_ALIVE);
  return {
    accept: new AcceptStage(),
    receive: new ReceiveStage({
      maxBufferedBody: settings.MAX_BUFFERED_BODY,
      maxBody: settings.MAX_BODY,
      bodyIdleMs: settings.BODY_IDLE_TIMEOUT,
      bodyTotalMs: settings.BODY_TIMEOUT,
      spoolTotalMs: settings.SPOOL_BODY_TIMEOUT,
      bodyMinRate: settings.BODY_MIN_RATE,
      memory: bodyMemory,
      accounts,
      overload,
      spool: new Spool(join(settings.DATA_DIR, 'spool'), settings.SPOOL_MAX_BYTES),
    }),
    authenticate: new AuthenticateStage(principals),
    prompt: new PromptStage(new Prompts(documents), { maxBytes: settings.MAX_BUFFERED_BODY }),
    validate: new ValidateStage(),
    resolve: new ResolveStage(configs, guardrails, guardTools),
    admit: new AdmitStage(accounts),
    idempotency: new IdempotencyStage(responses.idempotency, {
      waitMs: settings.REQUEST_TIMEOUT,
      memory: responses.memory,
      bodyBytesMax: settings.IDEMPOTENCY_ENTRY_MAX_BYTES,
    }),
    attempt,
    renderedReply: new RenderedReply(settle),
    replayedReply: new ReplayedReply(settle),
    session: null,
    reply: new ReplyStage(settle, keepAlive, settings.LOG_BODY_MAX_BYTES, pricer),
  };
}

function guardToolsOf(outbound: OutboundClient, policy: AddressPolicy, models: ModelCalls): GuardTools {
  const port = new OutboundPort(outbound, policy);
  return { port, runner: new GuardrailRunner(port), background: new BackgroundChecks(), models };
}

/** Returns the rule that an address violates, or null. */
const hostRule =
  (policy: AddressPolicy) =>
  (url: string): string | null => {
    const verdict = policy.checkUrl(url);
    return verdict.ok ? null : verdict.rule;
  };
