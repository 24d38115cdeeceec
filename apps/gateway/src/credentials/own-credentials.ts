import { Buffer } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { documentKey, TOKEN_AUDIENCE, TOKEN_ISSUER, type DocumentKey } from '@gw/contracts';
import { hasApiKeyForm, hashApiKey } from '@gw/kernel';
import type { Documents } from '../auth/documents';

const TOKEN_SHAPE = /^eyJ[\w-]+\.([\w-]{1,2048})\.[\w-]+$/;

/** Recognises credentials of this gateway and its control plane: API keys and session tokens. */
export class OwnCredentials {
  constructor(
    private readonly documents: Documents,
    /**
     * Keys of the hashes that an API key may be stored under: of the current master key and of
     * earlier ones.
     */
    private readonly peppers: readonly KeyObject[],
  ) {}

  /**
   * False for a text whose form rules out a key or a token. Few provider keys have that form, so
   * few look-ups are needed.
   */
  couldInclude(text: string): boolean {
    return hasApiKeyForm(text) || TOKEN_SHAPE.test(text);
  }

  /**
   * Returns a promise only when a key has to be looked up. A key that cannot be looked up now
   * counts as a provider's.
   */
  includes(text: string): boolean | Promise<boolean> {
    if (isSessionToken(text)) return true;
    if (!hasApiKeyForm(text)) return false;
    const keys = this.peppers.map((pepper) => documentKey.apiKey(hashApiKey(pepper, text)));
    const known = keys.map((key) => this.documents.get(key));
    if (known.some((document) => document !== undefined && document !== null)) return true;
    const unknown = keys.filter((_, index) => known[index] === undefined);
    return unknown.length > 0 && this.isAnyStored(unknown);
  }

  private async isAnyStored(keys: readonly DocumentKey[]): Promise<boolean> {
    try {
      const documents = await Promise.all(keys.map((key) => this.documents.load(key)));
      return documents.some((document) => document !== null);
    } catch {
      // Providers remain callable while the control plane is unavailable.
      return false;
    }
  }
}

function isSessionToken(text: string): boolean {
  const payload = TOKEN_SHAPE.exec(text)?.[1];
  if (payload === undefined) return false;
  try {
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as unknown;
    if (typeof claims !== 'object' || claims === null) return false;
    const { iss, aud } = claims as { readonly iss?: unknown; readonly aud?: unknown };
    return iss === TOKEN_ISSUER && aud === TOKEN_AUDIENCE;
  } catch {
    return false;
  }
}
