/**
 * Operators. `glob-end`: the value ends in `*`, and the claim starts with the text before it.
 * `regex`: RE2 syntax.
 */
export const CLAIM_OPERATORS = ['equals', 'in', 'glob-end', 'regex'] as const;

/** A condition on a claim of a token. */
export interface ClaimCondition {
  /** JSON pointer (RFC 6901), such as `/sub`. */
  readonly claim: string;
  readonly op: (typeof CLAIM_OPERATORS)[number];
  /** A list for `in`, else a text. */
  readonly value: string | readonly string[];
}

/** The workspace, scopes and metadata of tokens that satisfy the conditions. */
export interface TrustMap {
  readonly conditions: readonly ClaimCondition[];
  /** Id of the workspace. Null: the token names the workspace. */
  readonly workspaceId: string | null;
  /** Maximum scopes. A token that names scopes gets only those that are also in this list. */
  readonly scopes: readonly string[];
  /** Metadata of requests: JSON pointers of claims by metadata name. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** An issuer whose tokens an organisation accepts instead of API keys. */
export interface TrustRule {
  readonly id: string;
  readonly organisationId: string;
  readonly name: string;
  readonly tokenKind: 'jwt' | 'workload';
  readonly preset: string | null;
  readonly issuer: string;
  /** URLs of key sets; empty when `keys` contains the keys. */
  readonly jwksUrls: readonly string[];
  readonly keys: readonly object[];
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  /** All conditions must hold. */
  readonly conditions: readonly ClaimCondition[];
  /** The first map whose conditions hold applies. */
  readonly maps: readonly TrustMap[];
  /** Maximum lifetime of a token in seconds. */
  readonly maxTtl: number;
  /** True: each token, identified by its claim `jti`, is accepted once. Absent: false. */
  readonly requireJtiOnce?: boolean;
}

/** The trusts of all organisations in one issuer. Addressed by a digest of the issuer. */
export interface TrustsDocument {
  readonly kind: 'trusts';
  readonly version: string;
  readonly trusts: readonly TrustRule[];
}

/** The key that a token is bound to by DPoP (RFC 9449). */
export interface TokenBinding {
  /** Thumbprint of the key (RFC 7638, SHA-256, base64url). */
  readonly thumbprint: string;
  /** Origin of the URLs in proofs: the origin of the public URL. */
  readonly origin: string;
}

/**
 * An access token of the OAuth server, addressed by its hash. The document exists while the token
 * is valid. It is removed when the token, its grant, the membership of its user or the workspace
 * ends.
 */
export interface AccessTokenDocument {
  readonly kind: 'access_token';
  readonly version: string;
  /** Id of the grant; tokens of one grant share it. */
  readonly grantId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly userId: string;
  readonly organisationId: string;
  /** Null: the whole organisation, which only the control plane accepts. */
  readonly workspaceId: string | null;
  /**
   * Canonical path of the resource below the public URL, such as `/v1`. The token is valid for it
   * alone.
   */
  readonly resourcePath: string;
  /**
   * Id of the server, toolset, agent or workspace that the path named when the user consented;
   * null: the API itself.
   */
  readonly targetId: string | null;
  /** Scopes of the token that the user's role still has. */
  readonly scopes: readonly string[];
  /** Metadata of requests with the token, in addition to the user and the client. Absent: none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The key whose possession each request must prove; absent for a bearer token. */
  readonly boundTo?: TokenBinding;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/**
 * A user's consent to an OAuth client; the document exists while the consent is valid. Background
 * work such as notifications ends with it; requests are authorised by their tokens.
 */
export interface OauthGrantDocument {
  readonly kind: 'oauth_grant';
  readonly version: string;
  readonly id: string;
  readonly organisationId: string;
  /** Null: the whole organisation. */
  readonly workspaceId: string | null;
  /** Scopes of the grant that the user's role still has. */
  readonly scopes: readonly string[];
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** The workspace that a slug names in an organisation. */
export interface WorkspaceSlugDocument {
  readonly kind: 'workspace_slug';
  readonly version: string;
  readonly workspaceId: string;
}

/**
 * The roles and groups of a user in an organisation, which access rules name. The document exists
 * only while the user is active in the organisation.
 */
export interface UserDocument {
  readonly kind: 'user';
  readonly version: string;
  readonly userId: string;
  readonly organisationId: string;
  readonly organisationRole: 'owner' | 'admin' | 'member';
  /** Roles by workspace id. */
  readonly workspaceRoles: Readonly<Record<string, 'admin' | 'manager' | 'member'>>;
  /**
   * Ids of SCIM groups, and `sso:<name>` for groups from the user's last logins by single sign-on.
   */
  readonly groups: readonly string[];
}

/** The key of the installation with which gateways sign tokens for upstream servers. */
export interface SigningKeyDocument {
  readonly kind: 'signing_key';
  readonly version: string;
  /** The public URL of the installation; its key set is at `<issuer>/.well-known/jwks.json`. */
  readonly issuer: string;
  readonly kid: string;
  /** `seal()` of the private key as JSON (RFC 7517), bound to `signingKeyDocumentBinding`. */
  readonly sealedPrivate: string;
}

/** The documents by which gateways authenticate and authorise callers and their tokens. */
export type CallerDocument =
  | AccessTokenDocument
  | OauthGrantDocument
  | UserDocument
  | SigningKeyDocument
  | TrustsDocument
  | WorkspaceSlugDocument;
