import { apiKeyPepper, masterKeysOf, oauthPepper, type AddressPolicy } from '@gw/kernel';
import { BufferedClient, internalPost } from '@gw/outbound';
import { fetchKeysBy, KeySets, sharedReads } from '@gw/trusts';
import { describeFault, type Log } from '@gw/web';
import type { GatewaySettings } from '../settings';
import { AccessTokenCallers } from './access-token-callers';
import { EarlierKeys } from './earlier-keys';
import type { Documents } from './documents';
import { Principals } from './principals';
import { TokenCallers } from './token-callers';
import { TokenProofs } from './token-proofs';
import { createUsedTokens, LocalUsedTokens, type UsedTokens } from './used-tokens';

/** Maximum number of proofs that a process without Redis remembers, about 40 MB. */
const LOCAL_PROOFS_MAX = 200_000;
/**
 * Maximum number of proofs of one organisation per process in five minutes: a thousand a second.
 */
const SHARED_PROOFS_MAX = 300_000;

interface Parts {
  readonly documents: Documents;
  readonly policy: AddressPolicy;
  readonly log: Log;
}

/**
 * Resolves the callers of all requests: API keys, access tokens, and signed tokens unless they are
 * switched off.
 */
export function createPrincipals(settings: GatewaySettings, parts: Parts): Principals {
  const { ADMIN_URL: adminUrl, SERVICE_TOKEN: serviceToken } = settings;
  const used = createUsedTokens(settings.REDIS_URL, parts.log);
  return new Principals(parts.documents, {
    peppers: masterKeysOf(settings).map(apiKeyPepper),
    earlier: new EarlierKeys({ adminUrl, serviceToken, post: internalPost }),
    blockInlineConfig: settings.BLOCK_INLINE_CONFIG,
    accessTokens: new AccessTokenCallers(parts.documents, oauthPepper(settings.ENCRYPTION_KEY)),
    tokens: settings.JWT_ENABLED ? tokenCallers(settings, parts, used) : null,
    proofs: tokenProofs(settings.REDIS_URL === null, used),
    // Half of the read model's capacity, because cached principals keep their documents in memory,
    // even those that the read model has evicted.
    capacity: settings.READ_MODEL_MAX_DOCUMENTS / 2,
  });
}

/**
 * Without Redis, proofs are remembered apart from one-time tokens, so that neither kind can crowd
 * out the other.
 */
const tokenProofs = (isLocal: boolean, used: UsedTokens): TokenProofs =>
  isLocal
    ? new TokenProofs(new LocalUsedTokens(LOCAL_PROOFS_MAX), LOCAL_PROOFS_MAX / 4)
    : new TokenProofs(used, SHARED_PROOFS_MAX);

function tokenCallers(
  settings: GatewaySettings,
  { documents, policy, log }: Parts,
  used: UsedTokens,
): TokenCallers {
  const { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy } = settings;
  const client = new BufferedClient({ policy, proxy: { httpProxy, httpsProxy, noProxy } });
  const warn = (url: string, error: unknown): void => {
    log.warn({ url, ...describeFault(error) }, 'failed to read a key set');
  };
  const fetch = sharedReads(fetchKeysBy(client), { sizeOf: ({ body }) => body.length });
  return new TokenCallers(documents, new KeySets({ fetch, warn }), used);
}
