import { isObject, isSecureUrl, readSigningKey, type AddressPolicy } from '@gw/kernel';
import { BufferedClient } from '@gw/outbound';
import { fetchKeysBy, type FetchKeys } from '@gw/trusts';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';

const URLS_MAX = 10;
const KEYS_MAX = 100;

/** Source of a trust's keys. */
export interface TrustKeySource {
  readonly jwksUrls: readonly string[];
  readonly keys: readonly object[];
}

/** Reads and checks the key sets of trusts. */
@Injectable()
export class TrustKeys {
  /** Reads a key set. Rejects when there is none. */
  readonly fetch: FetchKeys;

  constructor(
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
    client: BufferedClient,
  ) {
    this.fetch = fetchKeysBy(client);
  }

  /**
   * Returns the source that the input names; without one, the address that the issuer publishes.
   * Throws `validation_failed`.
   */
  async read(
    issuer: string,
    uri: string | null,
    set: { readonly keys?: unknown } | null,
  ): Promise<TrustKeySource> {
    if (uri !== null && set !== null) throw invalid('jwks', 'jwks and jwks_uri cannot both be sent');
    if (set !== null) return { jwksUrls: [], keys: readSet(set) };
    if (uri !== null) return { jwksUrls: this.urlsIn(uri), keys: [] };
    return { jwksUrls: [await this.discovered(issuer)], keys: [] };
  }

  private urlsIn(uri: string): readonly string[] {
    const urls = uri.split(',').flatMap((url) => (url.trim() === '' ? [] : [url.trim()]));
    if (urls.length === 0 || urls.length > URLS_MAX) {
      throw invalid('jwks_uri', `jwks_uri must have 1 to ${String(URLS_MAX)} URLs, separated by commas`);
    }
    for (const url of urls) this.assertUrl(url);
    return urls;
  }

  private assertUrl(url: string): void {
    const verdict = this.addresses.checkUrl(url);
    if (!verdict.ok) throw invalid('jwks_uri', verdict.rule);
    if (!isSecureUrl(url)) throw invalid('jwks_uri', 'jwks_uri must be https');
  }

  private async discovered(issuer: string): Promise<string> {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const found = await this.documentAt(url);
    if (found?.['issuer'] !== issuer || typeof found['jwks_uri'] !== 'string') {
      throw invalid('jwks_uri', `the issuer publishes no key set at ${url}; send jwks_uri or jwks`);
    }
    this.assertUrl(found['jwks_uri']);
    return found['jwks_uri'];
  }

  /**
   * Returns the JSON document at a URL; null when there is none, and the caller then tells what to
   * send instead.
   */
  private async documentAt(url: string): Promise<Readonly<Record<string, unknown>> | null> {
    if (!this.addresses.checkUrl(url).ok) return null;
    const response = await this.fetch(url).catch(() => null);
    try {
      const document: unknown = response === null ? null : JSON.parse(response.body.toString('utf8'));
      return isObject(document) ? document : null;
    } catch {
      return null;
    }
  }
}

/**
 * Returns only the public parts of a key set. Throws `validation_failed` for a key that must not
 * verify tokens.
 */
function readSet({ keys }: { readonly keys?: unknown }): readonly object[] {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > KEYS_MAX) {
    throw invalid('jwks', `jwks must have 1 to ${String(KEYS_MAX)} keys`);
  }
  return keys.map((raw: unknown, index) => {
    const key = readSigningKey(raw) ?? readSigningKey(raw, 'jwt-svid');
    if (key === null) {
      throw invalid(
        `jwks.keys.${String(index)}`,
        'must be a public RSA, EC or Ed25519 key of good length with a kid, for signatures',
      );
    }
    const { kty, kid, use, alg, crv, n, e, x, y } = raw as Readonly<Record<string, unknown>>;
    return JSON.parse(JSON.stringify({ kty, kid, use, alg, crv, n, e, x, y })) as object;
  });
}
