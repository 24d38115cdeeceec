import { join } from 'node:path';
import {
  createAddressPolicy,
  deriveKey,
  hashingKey,
  parseTrustedHosts,
  type AddressPolicy,
  type Keyring,
} from '@gw/kernel';
import { InProcessRateCounters, type RateCounters } from '@gw/limits';
import { OutboundClient } from '@gw/outbound';
import { PROVIDERS } from '@gw/providers';
import type { Journal } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import { BodyBudget } from './http/body-budget';
import { ControlPlaneProxy } from './http/control-plane-proxy';
import { FrontDoor, type Health } from './http/front-door';
import { RequestBuilder } from './pipeline/attempt/request-builder';
import { Sender } from './pipeline/attempt/sender';
import { Targeting } from './pipeline/attempt/targeting';
import { KeepAlive } from './pipeline/keep-alive';
import { Pipeline } from './pipeline/pipeline';
import { Settlement } from './pipeline/settlement';
import { AcceptStage } from './pipeline/stages/accept.stage';
import { AdmitStage } from './pipeline/stages/admit.stage';
import { AttemptStage } from './pipeline/stages/attempt.stage';
import { AuthenticateStage } from './pipeline/stages/authenticate.stage';
import { ReceiveStage } from './pipeline/stages/receive.stage';
import { ReplyStage } from './pipeline/stages/reply.stage';
import { ResolveStage } from './pipeline/stages/resolve.stage';
import type { GatewaySettings } from './settings';
import { Configs } from './state/configs';
import { Credentials } from './state/credentials';
import { CataloguePricer } from './state/pricer';
import { Principals, type Documents } from './state/principals';

/** Connection pools to providers: one for each origin and tenant. */
const POOLS_MAX = 10_000;
const PROVIDER_KEEP_ALIVE_MS = 30_000;

export interface DataPlaneParts {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
  readonly journal: Journal;
  readonly health: Health;
  readonly log: Log;
  readonly gatewayId: string;
}

export interface DataPlane {
  readonly door: FrontDoor;
  close(): void;
}

export const sealingRing = (master: Buffer): Keyring => ({
  current: 'k1',
  keys: new Map([['k1', deriveKey(master, 'seal/v1')]]),
});

/** Where this process keeps its journal; a restarted process finds its own again. */
export const journalDirectory = (settings: GatewaySettings, processIndex: number): string =>
  join(settings.DATA_DIR, 'gateway', `journal-${String(processIndex)}`);

/** Puts the request path together. No request passes through Nest. */
export function createDataPlane({
  settings,
  documents,
  journal,
  health,
  log,
  gatewayId,
}: DataPlaneParts): DataPlane {
  const policy = createAddressPolicy({ trustedHosts: parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS) });
  const outbound = new OutboundClient({
    policy,
    proxy: { httpProxy: settings.HTTP_PROXY, httpsProxy: settings.HTTPS_PROXY, noProxy: settings.NO_PROXY },
    maxConnectionsPerOrigin: settings.MAX_CONNECTIONS_PER_PROVIDER,
    maxPools: POOLS_MAX,
    keepAliveTimeoutMs: PROVIDER_KEEP_ALIVE_MS,
  });
  const counters = new InProcessRateCounters();
  const controlPlane = new ControlPlaneProxy(settings.ADMIN_URL);
  const pepper = hashingKey(deriveKey(settings.ENCRYPTION_KEY, 'api-key-hash').toString('hex'));
  const configs = new Configs(documents, {
    isKnownProvider: (id) => PROVIDERS.has(id),
    checkHost: hostRule(policy),
  });
  const settlement = new Settlement(journal, counters, new CataloguePricer(), {
    gatewayId,
    bodyMaxBytes: settings.LOG_BODY_MAX_BYTES,
  });
  const pipeline = new Pipeline(
    {
      accept: new AcceptStage(),
      receive: new ReceiveStage({
        maxBufferedBody: settings.MAX_BUFFERED_BODY,
        maxBody: settings.MAX_BODY,
        bodyIdleMs: settings.BODY_IDLE_TIMEOUT,
        budget: new BodyBudget(settings.MAX_BODY_MEMORY),
      }),
      authenticate: new AuthenticateStage(
        new Principals(documents, { pepper, blockInlineConfig: settings.BLOCK_INLINE_CONFIG }),
      ),
      resolve: new ResolveStage(configs),
      admit: new AdmitStage(counters),
      attempt: attemptStage(settings, documents, policy, outbound, counters),
      reply: new ReplyStage(
        settlement.settle,
        new KeepAlive(settings.STREAM_KEEP_ALIVE),
        settings.LOG_BODY_MAX_BYTES,
      ),
    },
    (exchange, error) => {
      log.warn({ requestId: exchange.id, ...describeFault(error) }, 'a request failed');
    },
  );
  return {
    door: new FrontDoor(pipeline, controlPlane, health),
    close: () => {
      outbound.close();
      controlPlane.close();
    },
  };
}

const attemptStage = (
  settings: GatewaySettings,
  documents: Documents,
  policy: AddressPolicy,
  outbound: OutboundClient,
  counters: RateCounters,
): AttemptStage =>
  new AttemptStage(
    new Targeting(documents, new Credentials(sealingRing(settings.ENCRYPTION_KEY)), {
      providers: PROVIDERS,
      sandboxEnabled: settings.SANDBOX_ENABLED,
    }),
    new RequestBuilder({
      policy,
      requestTimeoutMs: settings.REQUEST_TIMEOUT,
      connectTimeoutMs: settings.CONNECT_TIMEOUT,
    }),
    new Sender(outbound),
    counters,
  );

/** The rule that an address breaks, or null. */
const hostRule =
  (policy: AddressPolicy) =>
  (url: string): string | null => {
    const verdict = policy.checkUrl(url);
    return verdict.ok ? null : verdict.rule;
  };
