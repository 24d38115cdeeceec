import { apiKeyPepper, masterKeysOf, sealingKeyring, type AddressPolicy } from '@gw/kernel';
import type { OutboundClient } from '@gw/outbound';
import type { Provider } from '@gw/providers';
import type { SecretResolver } from '@gw/secret-managers';
import type { RoutingState } from '@gw/routing';
import type { Accounts } from '../limits/accounts';
import type { GatewaySettings } from '../settings';
import type { Answers } from '../cache/answers';
import { Credentials } from '../credentials/credentials';
import { OwnCredentials } from '../credentials/own-credentials';
import type { Documents } from '../auth/principals';
import { CachingSender } from '../cache/caching-sender';
import { Embeddings } from '../cache/embeddings';
import type { TargetPricer } from '../usage/use';
import { AttemptStage } from './attempt.stage';
import { FollowUpSender } from './follow-up-sender';
import { IntegratedModelsSender } from './integrated-models-sender';
import { LocalPlayer } from './local-transport';
import { RequestBuilder } from './request/request-builder';
import { Sender, type AttemptSender, type BeforeCall } from './sender';
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
  readonly answers: Answers;
  readonly secrets: SecretResolver;
  readonly beforeCall: BeforeCall;
}

/**
 * Attempts differ in how they are sent, and in nothing else. `attempt` is that of HTTP requests, `plain` that of calls of our own, which
 * no cache answers.
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
  answers,
  secrets,
  beforeCall,
}: AttemptParts): {
  readonly attempts: (sender: AttemptSender) => AttemptStage;
  readonly attempt: AttemptStage;
  readonly plain: AttemptStage;
} {
  const masters = masterKeysOf(settings);
  const own = new OwnCredentials(documents, masters.map(apiKeyPepper));
  const targeting = new Targeting(documents, new Credentials(sealingKeyring(...masters), secrets), own, {
    providers,
    sandboxEnabled: settings.SANDBOX_ENABLED,
  });
  const builder = new RequestBuilder({
    policy,
    requestTimeoutMs: settings.REQUEST_TIMEOUT,
    connectTimeoutMs: settings.CONNECT_TIMEOUT,
  });
  const sender = new Sender(outbound, new LocalPlayer(settings.MAX_CONNECTIONS_PER_PROVIDER), beforeCall);
  const caching = new CachingSender(sender, {
    cache: answers.cache,
    flights: answers.flights,
    memory: answers.memory,
    embeddings: new Embeddings(targeting, builder, sender, pricer),
    bodyBytesMax: settings.CACHE_ENTRY_MAX_BYTES,
  });
  const attempts = (by: AttemptSender): AttemptStage =>
    new AttemptStage(targeting, builder, by, accounts, routing, {
      callsMax: settings.MAX_CALLS_PER_REQUEST,
      allowClientSecrets: settings.ALLOW_CLIENT_SECRETS,
    });
  return {
    attempts,
    plain: attempts(sender),
    attempt: attempts(new IntegratedModelsSender(new FollowUpSender(caching), documents)),
  };
}
