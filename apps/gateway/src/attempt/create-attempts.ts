import {
  apiKeyPepper,
  masterKeysOf,
  parseTrustedHosts,
  sealingKeyring,
  type AddressPolicy,
} from '@gw/kernel';
import type { OutboundClient } from '@gw/outbound';
import type { Provider } from '@gw/providers';
import type { SecretResolver } from '@gw/secret-managers';
import type { RoutingState } from '@gw/routing';
import type { Accounts } from '../limits/accounts';
import type { GatewaySettings } from '../settings';
import type { ResponseStores } from '../cache/response-stores';
import { CloudCredentials } from '../credentials/cloud-credentials';
import { createIssuedCredentials } from '../credentials/issued';
import { RenewalAround } from '../credentials/renewal.around';
import { Credentials } from '../credentials/credentials';
import { OwnCredentials } from '../credentials/own-credentials';
import type { Documents } from '../auth/documents';
import { CacheAround } from '../cache/cache.around';
import { Embeddings } from '../cache/embeddings';
import type { TargetPricer } from '../usage/use';
import { AttemptStage } from './attempt.stage';
import { FollowUpAround } from './follow-up.around';
import type { Next } from './attempt-call';
import { AttemptWays } from './attempt-ways';
import { BuildAround } from './request/build.around';
import { TargetAround } from './target.around';
import { GuardrailsAround } from '../guardrails/guardrails.around';
import { HedgeAround } from '../hedge/hedge.around';
import { TargetLimitsAround } from '../limits/target-limits.around';
import { IntegratedModelsAround } from './integrated-models.around';
import { LocalPlayer } from './local-transport';
import { RequestBuilder } from './request/request-builder';
import { Sender, type BeforeCall } from './sender';
import { Targeting } from './targeting';

interface AttemptParts {
  readonly settings: GatewaySettings;
  readonly documents: Documents;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly policy: AddressPolicy;
  readonly accounts: Accounts;
  readonly routing: RoutingState;
  readonly outbound: OutboundClient;
  readonly pricer: TargetPricer;
  readonly responses: ResponseStores;
  readonly secrets: SecretResolver;
  readonly beforeCall: BeforeCall;
}

/**
 * Creates the attempt stage and its parts. `attempts` returns a stage that calls providers with
 * `last`; `attempt` is the stage for HTTP requests.
 */
export function createAttempts({
  settings,
  documents,
  providers,
  policy,
  accounts,
  routing,
  outbound,
  pricer,
  responses,
  secrets,
  beforeCall,
}: AttemptParts): { readonly attempts: (last: Next) => AttemptStage; readonly attempt: AttemptStage } {
  const masters = masterKeysOf(settings);
  const own = new OwnCredentials(documents, masters.map(apiKeyPepper));
  const cloud = new CloudCredentials(createIssuedCredentials(settings, policy), {
    allowsOwn: settings.ALLOW_AMBIENT_CLOUD_CREDENTIALS,
    trustedHosts: parseTrustedHosts(settings.TRUSTED_CUSTOM_HOSTS),
  });
  const saved = new Credentials(sealingKeyring(...masters), secrets);
  const targeting = new Targeting(documents, saved, own, cloud, {
    providers,
    sandboxEnabled: settings.SANDBOX_ENABLED,
  });
  const builder = new RequestBuilder({
    policy,
    requestTimeoutMs: settings.REQUEST_TIMEOUT,
    connectTimeoutMs: settings.CONNECT_TIMEOUT,
  });
  const sender = new Sender(outbound, new LocalPlayer(settings.MAX_CONNECTIONS_PER_PROVIDER), beforeCall);
  const stages = {
    hedge: new HedgeAround(),
    target: new TargetAround(targeting, settings.ALLOW_CLIENT_SECRETS, pricer),
    targetLimits: new TargetLimitsAround(accounts),
    guardrails: new GuardrailsAround(),
    renewal: new RenewalAround(cloud),
    build: new BuildAround(builder),
    integratedModels: new IntegratedModelsAround(documents),
    followUp: new FollowUpAround(),
    cache: new CacheAround(sender, {
      cache: responses.cache,
      flights: responses.flights,
      memory: responses.memory,
      embeddings: new Embeddings({ targeting, builder, sender, pricer, accounts }),
      bodyBytesMax: settings.CACHE_ENTRY_MAX_BYTES,
    }),
  };
  const attempts = (last: Next): AttemptStage =>
    new AttemptStage(
      new AttemptWays(stages, last),
      builder,
      accounts,
      routing,
      settings.MAX_CALLS_PER_REQUEST,
    );
  return { attempts, attempt: attempts(sender) };
}
