import { isObject } from '@gw/kernel';
import {
  applicationTypeOf,
  assertCodeFlow,
  assertNoneRefused,
  clientNameOf,
  grantTypesOf,
  informationalUris,
  propertyOf,
  redirectUrisOf,
  scopeOf,
} from './client-metadata';
import { clientKeysOf, type ClientAuthMethod } from './client-keys';
import { invalidMetadata, MetadataFault } from './metadata-fault';
import type { RedirectUriOptions } from './redirect-uri';

/** Client metadata (RFC 7591) for the protocol engine, rebuilt from the requested metadata. */
export interface ClientMetadata {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly grant_types: readonly string[];
  readonly response_types: readonly ['code'];
  readonly token_endpoint_auth_method: ClientAuthMethod;
  readonly logo_uri?: string;
  readonly client_uri?: string;
  readonly policy_uri?: string;
  readonly tos_uri?: string;
  readonly jwks?: object;
  readonly jwks_uri?: string;
}

export interface RegistrationOptions extends RedirectUriOptions {
  /**
   * Which scopes clients may name; by default those of MCP servers and agents, and
   * `offline_access`.
   */
  readonly isRegistrable?: (scope: string) => boolean;
  /** Whether clients may use the device flow; false by default. */
  readonly deviceFlow?: boolean;
  /** Whether clients may use assertions of identity providers; false by default. */
  readonly assertions?: boolean;
}

/**
 * A checked registration. `scope` is separate, because the protocol engine does not know scopes of
 * resources.
 */
export interface Registration {
  readonly client: ClientMetadata;
  readonly scope: string;
}

/** The RFC 7591 error response to invalid metadata. */
export interface RegistrationFault {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  /** The invalid member; null for the body as a whole. */
  readonly field: string | null;
  readonly description: string;
}

const NAMELESS = 'Unnamed client';
const SCOPES: ReadonlySet<string> = new Set(['mcp.invoke', 'agents.invoke', 'offline_access']);
/**
 * Accepted authentication methods. A client that requests a secret gets method `none` and no
 * secret.
 */
const METHODS: readonly unknown[] = [undefined, 'none', 'client_secret_post', 'client_secret_basic'];

/**
 * Checks the metadata of a client that registers itself, and returns the metadata to store, without
 * unknown members.
 */
export function checkRegistration(
  body: unknown,
  options: RegistrationOptions = {},
): Registration | RegistrationFault {
  return resultOf(() => {
    if (!isObject(body)) throw invalidMetadata(null, 'must be a JSON object');
    if (!METHODS.includes(propertyOf(body, 'token_endpoint_auth_method'))) {
      throw invalidMetadata(
        'token_endpoint_auth_method',
        'can only be none here; an administrator can register other clients',
      );
    }
    clientKeysOf('none', propertyOf(body, 'jwks'), propertyOf(body, 'jwks_uri'));
    return rebuilt(body, options);
  });
}

/**
 * Checks client metadata and returns it with the members that every client has. Throws
 * `MetadataFault`.
 */
export function rebuilt(body: Readonly<Record<string, unknown>>, options: RegistrationOptions): Registration {
  const { isRegistrable = (scope) => SCOPES.has(scope), deviceFlow = false, assertions = false } = options;
  assertNoneRefused(body);
  assertCodeFlow(body);
  const redirectUris = redirectUrisOf(body, options);
  return {
    client: {
      client_name: clientNameOf(body) ?? NAMELESS,
      redirect_uris: redirectUris,
      application_type: applicationTypeOf(redirectUris),
      grant_types: grantTypesOf(body, { deviceFlow, assertions }),
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...informationalUris(body),
    },
    scope: scopeOf(body, isRegistrable),
  };
}

/** Returns the result of a check, or the fault that it threw. */
export function resultOf(check: () => Registration): Registration | RegistrationFault {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof MetadataFault)) throw error;
    return { error: error.error, field: error.field, description: error.message };
  }
}
