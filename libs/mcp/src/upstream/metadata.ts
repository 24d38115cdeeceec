import { isObject, isSecureUrl, type AddressPolicy } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList } from '../rpc/message';

export type Checked<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });

const SERVERS_MAX = 10;
const SCOPES_MAX = 200;

export interface ResourceMetadata {
  /** Issuer of the authorization server to use. */
  readonly issuer: string;
  /** The identifier under which tokens are requested (RFC 8707). */
  readonly resource: string;
  readonly scopes: readonly string[];
  /** Whether tokens must be bound to a key (`dpop_bound_access_tokens_required`). */
  readonly demandsProof: boolean;
}

/**
 * Checks the resource metadata of an upstream (RFC 9728): `resource` is the server's URL or a
 * parent path of it on the same origin, and an authorization server has an allowed https address
 * (http on loopback). The result names the first such server, or the pinned one: that of the first
 * connection, or the one that the administrator set.
 */
export function checkResourceMetadata(
  document: unknown,
  {
    serverUrl,
    policy,
    pinnedIssuer,
  }: { readonly serverUrl: URL; readonly policy: AddressPolicy; readonly pinnedIssuer: string | null },
): Checked<ResourceMetadata> {
  if (!isObject(document)) return refuse('The resource metadata must be an object.');
  const resource = own(document, 'resource');
  if (!coversServer(resource, serverUrl))
    return refuse('resource must be the URL of the server or a parent path of it.');
  if (!Array.isArray(own(document, 'authorization_servers')))
    return refuse('authorization_servers must be a list.');
  const servers = ownList(document, 'authorization_servers').slice(0, SERVERS_MAX).filter(isText);
  const allowed = servers.filter((each) => endpointFault(each, policy) === null);
  const issuer = pinnedIssuer === null ? allowed[0] : allowed.find((each) => each === pinnedIssuer);
  if (issuer === undefined)
    return refuse(
      pinnedIssuer === null
        ? 'authorization_servers must name an allowed https address.'
        : 'authorization_servers no longer has the authorization server that this server is bound to.',
    );
  const demandsProof = own(document, 'dpop_bound_access_tokens_required') === true;
  return { ok: true, issuer, resource, scopes: textsOf(document, 'scopes_supported'), demandsProof };
}

function coversServer(resource: unknown, serverUrl: URL): resource is string {
  if (typeof resource !== 'string' || resource.length > 2_048 || !URL.canParse(resource)) return false;
  const { href, origin, pathname, search, hash, username, password } = new URL(resource);
  if (serverUrl.search !== '' && href === serverUrl.href) return true;
  if (origin !== serverUrl.origin || origin === 'null' || search + hash + username + password !== '')
    return false;
  const parent = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return `${serverUrl.pathname}/`.startsWith(parent);
}

const isText = (value: unknown): value is string => typeof value === 'string';

const textsOf = (document: JsonObject, name: string): readonly string[] =>
  ownList(document, name).slice(0, SCOPES_MAX).filter(isText);

/**
 * Returns why an address cannot be an endpoint; null if it can. It must be https without a fragment
 * and allowed by the policy; http is allowed on loopback only.
 */
function endpointFault(url: unknown, policy: AddressPolicy): string | null {
  const verdict = policy.checkUrl(url);
  if (!verdict.ok) return verdict.rule;
  return isSecureUrl(verdict.url.href) ? null : 'The URL must begin with https://.';
}

export interface ServerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly registrationEndpoint: string | null;
  readonly revocationEndpoint: string | null;
  /** Whether the server reads client documents (CIMD). */
  readonly readsClientDocuments: boolean;
  /** Whether responses to authorization requests must carry `iss` (RFC 9207). */
  readonly sendsIssuer: boolean;
  /**
   * How clients may authenticate at the token endpoint; an empty list means `client_secret_basic`.
   */
  readonly tokenAuthMethods: readonly string[];
  /**
   * Algorithms of assertions with which clients may authenticate; empty when the server announces
   * none.
   */
  readonly tokenAuthAlgorithms: readonly string[];
  /**
   * Algorithms of proofs for tokens that are bound to a key; empty when the server issues no such
   * tokens.
   */
  readonly proofAlgorithms: readonly string[];
  readonly scopes: readonly string[];
  /** Profiles of assertions that the server accepts, such as ID-JAG. */
  readonly grantProfiles: readonly string[];
}

const REQUIRED = ['authorization_endpoint', 'token_endpoint'] as const;
const OPTIONAL = [
  'registration_endpoint',
  'revocation_endpoint',
  'jwks_uri',
  'introspection_endpoint',
] as const;

/**
 * Checks the metadata of an authorization server (RFC 8414): the issuer is exactly the requested
 * one, every endpoint has an allowed https address (http on loopback), and PKCE with S256 is
 * announced.
 */
export function checkServerMetadata(
  document: unknown,
  { issuer, policy }: { readonly issuer: string; readonly policy: AddressPolicy },
): Checked<ServerMetadata> {
  if (!isObject(document)) return refuse('The metadata must be an object.');
  if (own(document, 'issuer') !== issuer) return refuse('issuer must be the requested one.');
  const endpoints = [...REQUIRED, ...OPTIONAL.filter((name) => own(document, name) !== undefined)];
  for (const name of endpoints) {
    const fault = endpointFault(own(document, name), policy);
    if (fault !== null) return refuse(`${name}: ${fault}`);
  }
  if (!textsOf(document, 'code_challenge_methods_supported').includes('S256'))
    return refuse('code_challenge_methods_supported must have S256.');
  return { ok: true, ...readEndpoints(document), issuer };
}

function readEndpoints(document: JsonObject): Omit<ServerMetadata, 'issuer'> {
  // Serialised by the URL parser, so that browsers open exactly the checked address.
  const url = (name: string): string => new URL(String(own(document, name))).href;
  const optional = (name: (typeof OPTIONAL)[number]): string | null =>
    own(document, name) === undefined ? null : url(name);
  return {
    authorizationEndpoint: url('authorization_endpoint'),
    tokenEndpoint: url('token_endpoint'),
    registrationEndpoint: optional('registration_endpoint'),
    revocationEndpoint: optional('revocation_endpoint'),
    readsClientDocuments: own(document, 'client_id_metadata_document_supported') === true,
    sendsIssuer: own(document, 'authorization_response_iss_parameter_supported') === true,
    tokenAuthMethods: textsOf(document, 'token_endpoint_auth_methods_supported'),
    tokenAuthAlgorithms: textsOf(document, 'token_endpoint_auth_signing_alg_values_supported'),
    proofAlgorithms: textsOf(document, 'dpop_signing_alg_values_supported'),
    scopes: textsOf(document, 'scopes_supported'),
    grantProfiles: textsOf(document, 'authorization_grant_profiles_supported'),
  };
}

/**
 * How the gateway becomes a client: `configured` by an administrator, by its `document` (CIMD), by
 * registration (RFC 7591), or `none`, in which case an administrator must configure a client.
 */
export type ClientWay = 'configured' | 'document' | 'register' | 'none';

export function clientWay(metadata: ServerMetadata, hasConfiguredClient: boolean): ClientWay {
  if (hasConfiguredClient) return 'configured';
  if (metadata.readsClientDocuments) return 'document';
  return metadata.registrationEndpoint === null ? 'none' : 'register';
}

/**
 * Returns the endpoints of a server of 2025-03-26 without metadata: default paths at its origin.
 */
export const defaultEndpoints = (serverUrl: URL): Omit<ServerMetadata, 'issuer'> => ({
  authorizationEndpoint: `${serverUrl.origin}/authorize`,
  tokenEndpoint: `${serverUrl.origin}/token`,
  registrationEndpoint: `${serverUrl.origin}/register`,
  revocationEndpoint: null,
  readsClientDocuments: false,
  sendsIssuer: false,
  tokenAuthMethods: [],
  tokenAuthAlgorithms: [],
  proofAlgorithms: [],
  scopes: [],
  grantProfiles: [],
});

/**
 * Returns whether a server's authorization server may be used: only the pinned one, which is that
 * of the first connection or the one that the administrator set. An administrator must confirm
 * another one, because it would send users elsewhere.
 */
export const issuerVerdict = (pinned: string | null, current: string): 'ok' | 'error' =>
  pinned === null || pinned === current ? 'ok' : 'error';
