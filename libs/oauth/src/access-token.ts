import type { KeyObject } from 'node:crypto';
import { hashApiKey } from '@gw/kernel';

export const ACCESS_PREFIX = 'pat_';
const TOKEN = /^pat_([\w-]{43})$/;

/** The path of the resource "the API of Tollgate", control plane and gateways, below the public URL. */
export const API_RESOURCE_PATH = '/v1';

/** Whether a credential claims to be an access token of our OAuth server. */
export const isAccessTokenForm = (credential: string): boolean => credential.startsWith(ACCESS_PREFIX);

/** Hash by which the OAuth server stores something that it has issued: HMAC-SHA256 of model and value, hex. */
export const artifactHash = (pepper: KeyObject, model: string, value: string): string =>
  hashApiKey(pepper, `${model}:${value}`);

/** Hash of an access token; undefined for a text that is none. */
export function accessTokenHash(pepper: KeyObject, token: string): string | undefined {
  const [, value] = TOKEN.exec(token) ?? [];
  return value === undefined ? undefined : artifactHash(pepper, 'AccessToken', value);
}
