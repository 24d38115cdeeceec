import type { KeyObject } from 'node:crypto';
import {
  documentKey,
  type ApiKeyDocument,
  type DocumentKey,
  type OrganisationDocument,
  type TokenBinding,
  type WorkspaceDocument,
} from '@gw/contracts';
import { GatewayError, hashApiKey } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { isAccessTokenForm } from '@gw/oauth';
import { isTokenForm, type ProvenRequest } from '@gw/trusts';
import type { AccessTokenCallers } from './access-token-callers';
import { CallerEnds, isActive, isUnchanged, type CallerOrigin } from './caller-ends';
import { readDocument, type Documents } from './documents';
import type { EarlierKeys } from './earlier-keys';
import { EndedKeys, type RefusedKey } from './ended-keys';
import {
  usedBefore,
  VERIFIED_MS,
  type TokenCallers,
  type TokenKey,
  type TokenResource,
} from './token-callers';
import type { TokenProofs } from './token-proofs';
import { VerifiedTokens } from './verified-tokens';
import { callerLimits, type CallerLimits } from '../limits/caller-limits';

/** The caller, resolved once for each version of the documents that it is built from. */
export interface GatewayPrincipal {
  readonly key: ApiKeyDocument;
  readonly workspace: WorkspaceDocument;
  readonly organisation: OrganisationDocument;
  readonly scopes: ReadonlySet<string>;
  /** Milliseconds since 1970; Infinity when the key does not expire. */
  readonly expiresAtMs: number;
  /** The key whose possession each request must prove; null for a bearer credential. */
  readonly boundTo: TokenBinding | null;
  /** The only resource that the credential is valid for; null when it is valid for all. */
  readonly resource: TokenResource | null;
  /** Null when no limit applies to the caller. */
  readonly limits: CallerLimits | null;
  /** True when requests may name only saved resources, not inline ones. */
  readonly savedOnly: boolean;
  readonly logBodies: boolean;
  /** True when a provider may be called only after the request's in-flight record is stored. */
  readonly strictAudit: boolean;
}

interface KnownPrincipal {
  readonly origin: CallerOrigin;
  /** Returns false once a token must be checked again; null for an API key. */
  readonly isValid: (() => boolean) | null;
  readonly principal: GatewayPrincipal;
  /** Whether the credential is a one-time token. */
  readonly isUsed: boolean;
}

/** Result of resolving a credential. */
interface Resolved
  extends
    Pick<CallerOrigin, 'at' | 'others' | 'source'>,
    Pick<KnownPrincipal, 'isValid' | 'isUsed'>,
    Pick<GatewayPrincipal, 'boundTo' | 'resource'> {
  readonly key: ApiKeyDocument;
}

export interface PrincipalOptions {
  /**
   * Keys of the hashes by which API keys are looked up: the current one first, then those of
   * earlier master keys.
   */
  readonly peppers: readonly KeyObject[];
  /** Receives API keys that only the pepper of an earlier master key recognised. */
  readonly earlier: Pick<EarlierKeys, 'report'>;
  readonly blockInlineConfig: boolean;
  /** Resolves signed tokens; null when they are not accepted. */
  readonly tokens: TokenCallers | null;
  /** Checks proofs of tokens that are bound to a key. */
  readonly proofs: Pick<TokenProofs, 'assertProven' | 'close'>;
  /** Resolves access tokens of Tollgate's OAuth server. */
  readonly accessTokens: Pick<AccessTokenCallers, 'resolve'>;
  /**
   * Maximum number of cached principals by raw API key. The least recently used one is evicted,
   * which costs one hash when its key is used again.
   */
  readonly capacity: number;
}

/**
 * Resolves API keys, access tokens and signed tokens to principals. A known key or access token
 * costs three map look-ups and no hash; a known signed token, one hash.
 */
export class Principals {
  private readonly known: LRUCache<string, KnownPrincipal>;
  private readonly verified = new VerifiedTokens<KnownPrincipal>();
  private readonly ended: EndedKeys;
  private readonly ends: CallerEnds<GatewayPrincipal>;

  constructor(
    private readonly documents: Documents,
    private readonly options: PrincipalOptions,
  ) {
    // Bounded by `maxSize`, because `max` reserves its memory in advance.
    this.known = new LRUCache({ maxSize: Math.floor(options.capacity), sizeCalculation: () => 1 });
    this.ended = new EndedKeys(documents);
    this.ends = new CallerEnds(documents);
  }

  /**
   * Resolves a credential, even an expired or exhausted one; `assertUsable` checks that. Throws
   * `api_key_invalid`, and never reveals whether a workspace or organisation exists. Only existing
   * keys are cached, so a scan of random keys does not fill the cache.
   */
  resolve(apiKey: string): GatewayPrincipal | Promise<GatewayPrincipal> {
    const { tokens } = this.options;
    if (tokens !== null && isTokenForm(apiKey)) return this.resolveToken(apiKey, tokens);
    return this.resolveKey(apiKey);
  }

  /**
   * Resolves the credential of a session that was admitted before, so that a used one-time token is
   * still valid for it. Throws as `resolve` does.
   */
  resolveAgain(apiKey: string): GatewayPrincipal | Promise<GatewayPrincipal> {
    const { tokens } = this.options;
    if (tokens === null || !isTokenForm(apiKey)) return this.resolveKey(apiKey);
    const known = this.verified.get(apiKey);
    return known && this.isCurrent(known) ? known.principal : this.verify(apiKey, tokens, true);
  }

  /** See `CallerEnds`. */
  hasEnded(principal: GatewayPrincipal): boolean | Promise<boolean> {
    return this.ends.hasEnded(principal);
  }

  /**
   * Returns the key of the document whose end revokes the caller's access: of the API key, the
   * trust, or the OAuth grant, because tokens of a grant are renewed. Null for a caller that was
   * not admitted here.
   */
  rightOf(principal: GatewayPrincipal): DocumentKey | null {
    const key = this.ends.credentialOf(principal);
    return key?.startsWith(ACCESS_TOKENS) === true ? documentKey.oauthGrant(principal.key.id) : key;
  }

  /**
   * Rejects with `api_key_invalid` unless the request proves possession of the key that its token
   * is bound to; see `TokenProofs`.
   */
  assertProven(principal: GatewayPrincipal, request: ProvenRequest): Promise<void> {
    return this.options.proofs.assertProven(principal, request);
  }

  close(): void {
    this.options.proofs.close();
  }

  private resolveKey(apiKey: string): GatewayPrincipal | Promise<GatewayPrincipal> {
    const known = this.known.get(apiKey);
    if (known && this.isCurrent(known)) return known.principal;
    return isAccessTokenForm(apiKey) ? this.lookUpToken(apiKey) : this.lookUp(apiKey, known?.origin.at);
  }

  private isCurrent({ origin, isValid }: KnownPrincipal): boolean {
    return isUnchanged(this.documents, origin, origin.source) && (isValid === null || isValid());
  }

  private async lookUp(apiKey: string, known: DocumentKey | undefined): Promise<GatewayPrincipal> {
    const hashes = this.options.peppers.map((pepper) => hashApiKey(pepper, apiKey));
    const found = await this.find(hashes, known);
    if (!found) {
      this.known.delete(apiKey);
      throw refusal('api_key_invalid', await this.ended.ownerOf(hashes));
    }
    const [at, key] = found;
    if (hashes[0] !== undefined && at !== documentKey.apiKey(hashes[0])) this.options.earlier.report(apiKey);
    const others = hashes.map(documentKey.apiKey).filter((each) => each !== at);
    const resolved = {
      ...{ at, others, source: key, key, isValid: null, isUsed: false },
      ...{ boundTo: null, resource: null },
    };
    const resolvedPrincipal = await this.resolvePrincipal(resolved);
    this.known.set(apiKey, resolvedPrincipal);
    return resolvedPrincipal.principal;
  }

  private async lookUpToken(token: string): Promise<GatewayPrincipal> {
    this.known.delete(token);
    const resolvedPrincipal = await this.resolveTokenPrincipal(
      await this.options.accessTokens.resolve(token),
    );
    this.known.set(token, resolvedPrincipal);
    return resolvedPrincipal.principal;
  }

  private resolveToken(token: string, tokens: TokenCallers): GatewayPrincipal | Promise<GatewayPrincipal> {
    const known = this.verified.get(token);
    if (known?.isUsed === true) throw usedBefore();
    return known && this.isCurrent(known) ? known.principal : this.verify(token, tokens, false);
  }

  private async verify(token: string, tokens: TokenCallers, isAgain: boolean): Promise<GatewayPrincipal> {
    this.verified.delete(token);
    const resolved = await tokens.resolve(token);
    const resolvedPrincipal = await this.resolveTokenPrincipal(resolved);
    const { oneTime } = resolved;
    if (oneTime !== null && !isAgain) await tokens.useOnce(oneTime);
    const { workspace, organisation } = resolvedPrincipal.principal;
    const tenant = { workspaceId: workspace.id, organisationId: organisation.id };
    this.verified.set(token, resolvedPrincipal, { tenant, ttlMs: VERIFIED_MS });
    return resolvedPrincipal.principal;
  }

  private resolveTokenPrincipal({ isCurrent, oneTime, ...token }: TokenKey): Promise<KnownPrincipal> {
    return this.resolvePrincipal({ ...token, others: [], isValid: isCurrent, isUsed: oneTime !== null });
  }

  private async resolvePrincipal(resolved: Resolved): Promise<KnownPrincipal> {
    const { at, others, source, key, isValid, isUsed, boundTo, resource } = resolved;
    if (key.workspaceId === null) throw refusal('scope_missing', key, ORGANISATION_KEY);
    const workspaceKey = documentKey.workspace(key.workspaceId);
    const organisationKey = documentKey.organisation(key.organisationId);
    const [workspace, organisation] = await Promise.all([
      readDocument(this.documents, workspaceKey),
      readDocument(this.documents, organisationKey),
    ]);
    const isOwn = isActive(workspace, 'workspace') && workspace.organisationId === key.organisationId;
    if (!isOwn || !isActive(organisation, 'organisation')) throw refusal('api_key_invalid', key);
    const principal = { ...this.build(key, workspace, organisation), boundTo, resource };
    const origin = {
      ...{ id: key.id, at, others, source, workspace, workspaceKey, organisation, organisationKey },
      expiresAtMs: principal.expiresAtMs,
    };
    this.ends.watch(principal, origin);
    return { origin, isValid, principal, isUsed };
  }

  private async find(
    hashes: readonly string[],
    known: DocumentKey | undefined,
  ): Promise<[DocumentKey, ApiKeyDocument] | null> {
    const hashed = hashes.map(documentKey.apiKey);
    // Repeat the current hash at the end: the control plane may have rehashed the key between two
    // reads.
    const again = hashed.length > 1 ? hashed.slice(0, 1) : [];
    for (const at of known === undefined ? [...hashed, ...again] : [known, ...hashed, ...again]) {
      const key = await readDocument(this.documents, at);
      if (key?.kind === 'api_key') return [at, key];
    }
    return null;
  }

  private build(
    key: ApiKeyDocument,
    workspace: WorkspaceDocument,
    organisation: OrganisationDocument,
  ): Omit<GatewayPrincipal, 'boundTo' | 'resource'> {
    return {
      key,
      workspace,
      organisation,
      scopes: new Set(key.scopes),
      expiresAtMs: key.expiresAt === null ? Infinity : Date.parse(key.expiresAt),
      limits: callerLimits(key, workspace),
      // A workspace may forbid more than the installation and the organisation do, but cannot allow
      // what they forbid.
      savedOnly:
        this.options.blockInlineConfig || organisation.blockInlineConfig || workspace.blockInlineConfig,
      logBodies: organisation.logBodies && workspace.logBodies,
      strictAudit: organisation.strictAudit === true || workspace.strictAudit === true,
    };
  }
}

const ACCESS_TOKENS = documentKey.accessToken('');

/**
 * Creates a refusal with the key's owner in `detail`, which the log stores and the caller does not
 * receive.
 */
const refusal = (
  type: 'api_key_invalid' | 'scope_missing',
  refusedKey: RefusedKey | null,
  message?: string,
): GatewayError =>
  new GatewayError(type, { ...(message === undefined ? {} : { message }), detail: { refusedKey } });

const ORGANISATION_KEY =
  'An organisation key can only call management endpoints, not providers. Use a workspace key.';

/**
 * Throws `api_key_expired`, `budget_exhausted` or `api_key_invalid` when the key may not be used at
 * `nowMs` (Unix milliseconds).
 */
export function assertUsable(principal: GatewayPrincipal, nowMs: number): void {
  if (principal.expiresAtMs <= nowMs || principal.key.status === 'expired')
    throw new GatewayError('api_key_expired');
  // The ledger enforces budgets that this gateway knows; the status is only updated with a delay.
  if (principal.key.status === 'exhausted' && principal.key.usageLimits.length === 0) {
    throw new GatewayError('budget_exhausted', { extra: { scope: 'api_key', id: principal.key.id } });
  }
  if (principal.key.status === 'archived') throw new GatewayError('api_key_invalid');
}
