import type { KeyObject } from 'node:crypto';
import { hashApiKey } from '@gw/kernel';

export const ACCESS_PREFIX = 'pat_';
const TOKEN = /^pat_([\w-]{43})$/;

/**
 * Path of the OAuth resource "the API of Tollgate" (control plane and gateways) below the public
 * URL.
 */
export const API_RESOURCE_PATH = '/v1';

/** Whether a credential has the prefix of access tokens of our OAuth server. */
export const isAccessTokenForm = (credential: string): boolean => credential.startsWith(ACCESS_PREFIX);

/**
 * Returns the hash under which the OAuth server stores an issued artifact: HMAC-SHA256 of model and
 * value, hex.
 */
export const artifactHash = (pepper: KeyObject, model: string, value: string): string =>
  hashApiKey(pepper, `${model}:${value}`);

/** Returns the hash of an access token; undefined for a text in another form. */
export function accessTokenHash(pepper: KeyObject, token: string): string | undefined {
  const [, value] = TOKEN.exec(token) ?? [];
  return value === undefined ? undefined : artifactHash(pepper, 'AccessToken', value);
}
