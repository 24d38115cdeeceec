import { createAddressPolicy, hasDuplicateMembers, isObject } from '@gw/kernel';
import { clientKeysOf } from './client-keys';
import { propertyOf } from './client-metadata';
import { invalidMetadata } from './metadata-fault';
import {
  rebuilt,
  resultOf,
  type Registration,
  type RegistrationFault,
  type RegistrationOptions,
} from './registration';
import { redirectUriFault } from './redirect-uri';

/** Maximum size of a client's document. */
export const CLIENT_DOCUMENT_BYTES_MAX = 5_120;

const PUBLIC_ONLY = createAddressPolicy({ trustedHosts: [] });
const DOCUMENT = 'the document';
const SECRETS: readonly string[] = ['client_secret', 'client_secret_expires_at'];

/**
 * Returns why a `client_id` cannot be the URL of a client's document; undefined when it can. Call
 * it before fetching.
 */
export function clientIdFault(clientId: string): string | undefined {
  if (!clientId.startsWith('https://')) return 'must begin with https://';
  const fault = redirectUriFault(clientId);
  if (fault !== undefined) return fault;
  const verdict = PUBLIC_ONLY.checkUrl(clientId);
  if (!verdict.ok) return `cannot be read. ${verdict.rule}`;
  return /^https:\/\/[^/?]+\/[^?]/.test(clientId)
    ? undefined
    : 'must have a path, such as https://app.example.com/client.json';
}

/**
 * Parses and checks the document at a `client_id` (Client ID Metadata Documents). `body` is the
 * unchanged response body of the URL.
 */
export function readClientDocument(
  clientId: string,
  body: Buffer,
  options: RegistrationOptions = {},
): Registration | RegistrationFault {
  return resultOf(() => {
    const fault = clientIdFault(clientId);
    if (fault !== undefined) throw invalidMetadata('client_id', fault);
    if (body.length > CLIENT_DOCUMENT_BYTES_MAX)
      throw invalidMetadata(null, `must have at most ${String(CLIENT_DOCUMENT_BYTES_MAX)} bytes`, DOCUMENT);
    const document = parsed(body);
    if (propertyOf(document, 'client_id') !== clientId)
      throw invalidMetadata(
        'client_id',
        'must be the URL of the document, character for character',
        'client_id of the document',
      );
    if (propertyOf(document, 'client_name') === undefined)
      throw invalidMetadata('client_name', 'is required');
    const secret = SECRETS.find((name) => Object.hasOwn(document, name));
    if (secret !== undefined) throw invalidMetadata(secret, 'must not be in a public document');
    const { client, scope } = rebuilt(document, options);
    return { client: { ...client, ...authenticationOf(document) }, scope };
  });
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw invalidMetadata(null, 'must be JSON in UTF-8 without a byte order mark', DOCUMENT);
  }
  if (!isObject(document)) throw invalidMetadata(null, 'must be a JSON object', DOCUMENT);
  // Other parsers may use the first of two equal members, while ours uses the last.
  if (hasDuplicateMembers(body)) throw invalidMetadata(null, 'must not have a member twice', DOCUMENT);
  return document;
}

type Authentication = Pick<Registration['client'], 'token_endpoint_auth_method' | 'jwks' | 'jwks_uri'>;

function authenticationOf(document: Readonly<Record<string, unknown>>): Authentication {
  const [method, jwks, url] = ['token_endpoint_auth_method', 'jwks', 'jwks_uri'].map((name) =>
    propertyOf(document, name),
  );
  if (method !== undefined && method !== 'none' && method !== 'private_key_jwt')
    throw invalidMetadata('token_endpoint_auth_method', 'must be none or private_key_jwt');
  return { token_endpoint_auth_method: method ?? 'none', ...clientKeysOf(method, jwks, url) };
}
