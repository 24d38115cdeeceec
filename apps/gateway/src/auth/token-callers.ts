import { createHash } from 'node:crypto';
import {
  documentKey,
  type ApiKeyDocument,
  type DocumentKey,
  type ReadModelDocument,
  type TokenBinding,
  type TrustsDocument,
} from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import {
  issuerDigest,
  issuerOf,
  KeysUnavailable,
  readToken,
  TokenFault,
  verifyAny,
  type KeySets,
  type VerifiedToken,
} from '@gw/trusts';
import { readDocument, type Documents } from './documents';
import type { OneTimeToken, UsedTokens } from './used-tokens';

/**
 * Milliseconds after which a verified token is checked again, so that tokens of a withdrawn key
 * stop working within five minutes.
 */
export const VERIFIED_MS = 300_000;

/** The resource that a token was issued for. */
export interface TokenResource {
  /** Canonical path below the public URL. */
  readonly path: string;
  /** `AccessTokenDocument.targetId`. */
  readonly targetId: string | null;
}

/**
 * The caller of a token, represented as a key of the workspace, so that limits, policies,
 * guardrails and logs apply to it as to a key.
 */
export interface TokenKey {
  /** Key of the document that the token was checked against. */
  readonly at: DocumentKey;
  readonly source: ReadModelDocument;
  readonly key: ApiKeyDocument;
  /** Returns false once the token must be checked again. */
  readonly isCurrent: () => boolean;
  /** Set for a one-time token; null for other tokens. */
  readonly oneTime: OneTimeToken | null;
  /** The key whose possession each request must prove; null for a bearer token. */
  readonly boundTo: TokenBinding | null;
  /** The only resource that the token is valid for; null when it is valid for all. */
  readonly resource: TokenResource | null;
}

/** Resolves tokens that organisations and platforms sign, by the trusts of their issuers. */
export class TokenCallers {
  constructor(
    private readonly documents: Pick<Documents, 'get' | 'load'>,
    private readonly sets: KeySets,
    private readonly used: UsedTokens,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Marks a one-time token as used. Rejects with `api_key_invalid` when it was used before, and
   * with `unavailable` when that is not known.
   */
  async useOnce(token: OneTimeToken): Promise<void> {
    if (!(await this.used.take(token))) throw usedBefore();
  }

  /**
   * Resolves a token to its caller. Rejects with `api_key_invalid`, with `forbidden` when no rule
   * of the trust maps the token to a user and scopes, or with `unavailable` when the issuer's keys
   * cannot be read.
   */
  async resolve(token: string): Promise<TokenKey> {
    try {
      return await this.verifiedKey(token);
    } catch (error) {
      if (error instanceof KeysUnavailable) {
        throw new GatewayError('unavailable', {
          message: "The keys of the token's issuer cannot be read right now; try again.",
          headers: { 'retry-after': '5' },
          cause: error,
        });
      }
      if (!(error instanceof TokenFault)) throw error;
      // All faults of a token have one message, so that an attacker learns nothing; the log has the
      // reason. Only a valid token reaches the rules, so its sender may see that no rule maps it.
      if (error.check !== 'map')
        throw new GatewayError('api_key_invalid', { detail: { token: error.message } });
      throw new GatewayError('forbidden', { message: error.message });
    }
  }

  private async verifiedKey(token: string): Promise<TokenKey> {
    const read = readToken(token);
    const issuer = issuerOf(read.claims);
    if (issuer === null) throw new TokenFault('issuer', 'The token names no issuer.');
    const at = documentKey.trusts(issuerDigest(issuer));
    const source = await readDocument(this.documents, at);
    if (source?.kind !== 'trusts') throw new TokenFault('issuer', 'There is no trust of the issuer.');
    const verified = await verifyAny((source satisfies TrustsDocument).trusts, read, {
      sets: this.sets,
      now: Math.floor(this.now() / 1_000),
    });
    const { rule, key, expiresAt, oneTimeId: jti } = verified;
    const checkAgainMs = this.now() + VERIFIED_MS;
    return {
      at,
      source,
      key: await this.asKey(verified, source.version),
      oneTime:
        jti === null ? null : { organisationId: rule.organisationId, trustId: rule.id, jti, expiresAt },
      boundTo: null,
      resource: null,
      isCurrent: () => this.now() < Math.min(checkAgainMs, expiresAt * 1_000) && this.sets.has(rule, key),
    };
  }

  /**
   * Represents the caller as a service key, because the token's subject is a user of its issuer and
   * not of Tollgate. `userId` and the metadata `_user` contain the subject.
   */
  private async asKey({ rule, caller, expiresAt }: VerifiedToken, version: string): Promise<ApiKeyDocument> {
    const { organisationId } = rule;
    const workspaceId = await this.workspaceOf(organisationId, caller);
    return {
      kind: 'api_key',
      version,
      id: rule.id,
      limitsId: limitsIdOf(rule.id, caller.userId),
      name: rule.name,
      type: 'workspace-service',
      organisationId,
      workspaceId,
      userId: caller.userId,
      scopes: caller.scopes,
      status: 'active',
      expiresAt: new Date(expiresAt * 1_000).toISOString(),
      ...caller.limits,
      defaults: {
        metadata: { ...caller.metadata, _user: caller.userId.slice(0, 128) },
        config: await this.configOf(workspaceId, caller.config),
        allowConfigOverride: true,
      },
    };
  }

  private async workspaceOf(organisationId: string, { workspace }: VerifiedToken['caller']): Promise<string> {
    if ('id' in workspace) return workspace.id;
    const found = await readDocument(
      this.documents,
      documentKey.workspaceSlug(organisationId, workspace.slug),
    );
    if (found?.kind === 'workspace_slug') return found.workspaceId;
    throw new TokenFault('map', 'The token names a workspace that the organisation does not have.');
  }

  /**
   * Returns the config that the token names; null when it names none or the workspace does not have
   * it.
   */
  private async configOf(workspaceId: string, named: string | null): Promise<string | null> {
    if (named === null) return null;
    return (await readDocument(this.documents, documentKey.config(workspaceId, named)))?.kind === 'config'
      ? named
      : null;
  }
}

/** Returns the same error as for any other refused token; the log has the reason. */
export const usedBefore = (): GatewayError =>
  new GatewayError('api_key_invalid', { detail: { token: 'The token works once, and was used before.' } });

/**
 * Returns the owner id of a token's limits: a UUID of version 8 that is derived from trust and
 * subject, because limits count for each subject.
 */
function limitsIdOf(trustId: string, subject: string): string {
  const hex = createHash('sha256').update(`${trustId}\n${subject}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
