import { documentKey, signingKeyDocumentBinding, type SigningKeyDocument } from '@gw/contracts';
import {
  GatewayError,
  isObject,
  randomHex,
  signToken,
  tokenKey,
  unseal,
  type Keyring,
  type TokenKey,
} from '@gw/kernel';
import { own, type AccessCaller, type JsonObject } from '@gw/mcp';
import { readDocument, type Documents } from '../auth/documents';

/** Maximum lifetime of a token in seconds. */
const LIFETIME_SECONDS = 300;

export interface IdentityTokenParts {
  readonly documents: Documents;
  /** Opens the sealed key. */
  readonly ring: Keyring;
}

/** The fields of an MCP server or agent that determine how it is told who calls. */
export interface IdentifiedServer {
  readonly url: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  /**
   * `user_identity_forwarding`, `forward_headers` and `passthrough_headers` of the integration,
   * among others.
   */
  readonly configurations: Readonly<Record<string, unknown>>;
}

/** How an integration is told who calls: `user_identity_forwarding` of its configurations. */
export interface IdentityRule {
  readonly method: 'claims_header' | 'bearer' | 'jwt_header';
  /** Name of the header, in lower case. */
  readonly header: string;
  /** Claims to send; null: all. */
  readonly claims: readonly unknown[] | null;
  readonly lifetimeSeconds: number;
}

/** Returns the rule of a server; null if it has none or its address is not https. */
export const identityRule = (server: IdentifiedServer): IdentityRule | null =>
  server.url.startsWith('https:') ? readRule(server) : null;

/** Name of the header that only the rule of a server sets, in lower case; null without a rule. */
export const identityHeader = (server: IdentifiedServer): string | null => readRule(server)?.header ?? null;

function readRule({ configurations }: IdentifiedServer): IdentityRule | null {
  const rule = own(configurations, 'user_identity_forwarding');
  if (!isObject(rule)) return null;
  const [given, header, claims, expiry] = [
    own(rule, 'method'),
    own(rule, 'header_name'),
    own(rule, 'include_claims'),
    own(rule, 'jwt_expiry_seconds'),
  ];
  const method = given === 'bearer' || given === 'jwt_header' ? given : 'claims_header';
  return {
    method,
    header: method === 'bearer' || typeof header !== 'string' ? HEADERS[method] : header.toLowerCase(),
    claims: Array.isArray(claims) ? claims : null,
    lifetimeSeconds: typeof expiry === 'number' ? Math.min(expiry, LIFETIME_SECONDS) : LIFETIME_SECONDS,
  };
}

const HEADERS = {
  claims_header: 'x-user-claims',
  bearer: 'authorization',
  jwt_header: 'x-user-jwt',
} as const;

/** Returns the claims about a caller that the rule includes. */
export function identityClaims(
  { claims }: IdentityRule,
  { organisationId, workspaceId }: IdentifiedServer,
  { userId, keyId }: Pick<AccessCaller, 'userId' | 'keyId'>,
): JsonObject {
  const known = {
    ...{ sub: userId, organisation_id: organisationId, workspace_id: workspaceId, api_key_id: keyId },
  };
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => claims === null || claims.includes(name)),
  );
}

/** Creates tokens about callers for upstream servers, signed with the key of the installation. */
export class IdentityTokens {
  private readonly keys = new WeakMap<SigningKeyDocument, TokenKey>();

  constructor(private readonly parts: IdentityTokenParts) {}

  /** Whether the integration of a server requests signed tokens about its callers. */
  isWanted(server: IdentifiedServer): boolean {
    if (server.configurations['user_identity_forwarding'] === undefined) return false;
    const rule = identityRule(server);
    return rule !== null && rule.method !== 'claims_header';
  }

  /**
   * Returns the headers of a request to a server whose integration requests signed tokens; none for
   * other servers. Each token is valid only for this server and for at most five minutes. Throws
   * `provider_credential_failed` if there is no key.
   */
  async headersOf(server: IdentifiedServer, caller: AccessCaller): Promise<Readonly<Record<string, string>>> {
    const rule = identityRule(server);
    if (rule === null || rule.method === 'claims_header') return {};
    const document = await readDocument(this.parts.documents, documentKey.signingKey());
    if (document?.kind !== 'signing_key')
      throw new GatewayError('provider_credential_failed', {
        message: 'There is no key to sign tokens for the server; set PUBLIC_URL.',
      });
    const now = Math.floor(Date.now() / 1_000);
    const token = signToken(this.keyOf(document), {
      ...identityClaims(rule, server, caller),
      ...{ iss: document.issuer, aud: server.url, sub: subjectOf(caller) },
      ...(caller.clientId !== null && { act: { sub: caller.clientId } }),
      ...{ iat: now, exp: now + rule.lifetimeSeconds, jti: randomHex(32) },
    });
    return { [rule.header]: rule.method === 'bearer' ? `Bearer ${token}` : token };
  }

  private keyOf(document: SigningKeyDocument): TokenKey {
    let key = this.keys.get(document);
    if (key === undefined) {
      const binding = signingKeyDocumentBinding(document.kid);
      const jwk = JSON.parse(
        unseal(this.parts.ring, document.sealedPrivate, binding).toString('utf8'),
      ) as JsonObject;
      key = tokenKey(jwk);
      this.keys.set(document, key);
    }
    return key;
  }
}

/**
 * Returns the subject of a caller. Ids of users have no prefix; other callers have one, so that
 * none can be mistaken for a user.
 */
function subjectOf({ userId, keyId, trustId }: AccessCaller): string {
  if (userId !== null) return userId;
  return trustId === null ? `api_key:${keyId ?? ''}` : `trust:${trustId}`;
}
