import type { OrganisationRole, WorkspaceRole } from '@gw/auth-scopes';
import {
  OauthArtifactEntity,
  OauthConsentEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  PreparedStatement,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { accessTokenHash, API_RESOURCE_PATH, canonicalResource } from '@gw/oauth';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { activeMemberships } from './active-memberships';
import type { AuthenticatedSession } from './session.strategy';

/** A user who calls with an OAuth access token. The grant restricts what the user may do. */
export interface AuthenticatedGrant extends AuthenticatedSession {
  readonly scopes: ReadonlySet<string>;
  /** Workspace of the grant; null for the whole organisation, as far as the user's role allows. */
  readonly workspaceId: string | null;
  /**
   * Thumbprint of the key for which each request must prove possession; null for a bearer token.
   */
  readonly boundTo: string | null;
}

/** A grant in force, with the current roles of its user. */
export interface LiveGrant {
  readonly id: string;
  readonly userId: string;
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly granted: readonly string[];
  readonly expiresAt: Date;
  readonly role: OrganisationRole;
  /**
   * Role in the grant's workspace; null when the user has none there, and for a grant of the whole
   * organisation.
   */
  readonly workspaceRole: WorkspaceRole | null;
}

/** A valid access token as it is stored, with its grant. `expiresAt` is the expiry of the token. */
export interface LiveToken extends LiveGrant {
  readonly idHash: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly resource: string;
  /** Same as `OauthConsentEntity.targetId`. */
  readonly targetId: string | null;
  readonly tokenScope: string | null;
  /** Thumbprint of the key that the token is bound to; null for a bearer token. */
  readonly boundTo: string | null;
}

/** Returns the scopes of a token that its grant still allows. */
export const scopesOfToken = ({ tokenScope, granted }: LiveToken): string[] =>
  (tokenScope ?? '').split(' ').filter((scope) => granted.includes(scope));

const TOKENS = new PreparedStatement<LiveToken>('live-tokens', (source) =>
  grantsInForce(
    source
      .createQueryBuilder(OauthArtifactEntity, 'artifact')
      .innerJoin(OauthConsentEntity, 'consent', 'consent.id = artifact.grantId')
      .select('artifact.idHash', 'idHash')
      .addSelect('consent.clientId', 'clientId')
      .addSelect('consent.clientName', 'clientName')
      .addSelect('consent.resource', 'resource')
      .addSelect('consent.targetId', 'targetId')
      .addSelect(`artifact.payload ->> 'scope'`, 'tokenScope')
      .addSelect(`artifact.payload ->> 'jkt'`, 'boundTo')
      .addSelect('artifact.expiresAt', 'expiresAt')
      .where('artifact.idHash = ANY(:hashes)', { hashes: [] })
      .andWhere(`artifact.model = 'AccessToken' AND artifact.expiresAt > now()`),
  ),
);

const GRANTS = new PreparedStatement<LiveGrant>('live-grants', (source) =>
  grantsInForce(
    source
      .createQueryBuilder(OauthConsentEntity, 'consent')
      .select('consent.expiresAt', 'expiresAt')
      .where('consent.id = ANY(:ids)', { ids: [] }),
  ),
);

/**
 * Returns the valid tokens among these hashes. A token becomes invalid immediately when its user,
 * organisation or workspace is no longer active, and when the user's membership ends.
 */
export async function liveTokens(manager: EntityManager, hashes: readonly string[]): Promise<LiveToken[]> {
  if (hashes.length === 0) return [];
  return (await TOKENS.run(manager, [hashes])).filter(isOfMember);
}

/** Returns the grants in force among these ids, by the same rules as `liveTokens`. */
export async function liveGrants(manager: EntityManager, ids: readonly string[]): Promise<LiveGrant[]> {
  if (ids.length === 0) return [];
  return (await GRANTS.run(manager, [ids])).filter(isOfMember);
}

/**
 * Restricts a query of `consent` to grants in force and returns its SQL text. Does not check the
 * membership; `isOfMember` does.
 */
function grantsInForce(query: SelectQueryBuilder<ObjectLiteral>): string {
  const [statement] = query
    .innerJoin(UserEntity, 'person', `person.id = consent.userId AND person.status = 'active'`)
    .innerJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = consent.userId AND seat.organisationId = consent.organisationId AND seat.status = 'active'`,
    )
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = consent.organisationId AND organisation.status = 'active'`,
    )
    .leftJoin(WorkspaceEntity, 'workspace', 'workspace.id = consent.workspaceId')
    .leftJoin(
      WorkspaceUserEntity,
      'member',
      'member.workspaceId = consent.workspaceId AND member.userId = consent.userId',
    )
    .addSelect('consent.id', 'id')
    .addSelect('consent.userId', 'userId')
    .addSelect('consent.organisationId', 'organisationId')
    .addSelect('consent.workspaceId', 'workspaceId')
    .addSelect('consent.scopes', 'granted')
    .addSelect('seat.role', 'role')
    .addSelect('member.role', 'workspaceRole')
    .andWhere('consent.expiresAt > now()')
    .andWhere(`(consent.workspaceId IS NULL OR workspace.status = 'active')`)
    .getQueryAndParameters();
  return statement;
}

const isOfMember = ({ workspaceId, role, workspaceRole }: LiveGrant): boolean =>
  workspaceId === null || role !== 'member' || workspaceRole !== null;

/** Authenticates callers of the control plane by access tokens of the OAuth server. */
@Injectable()
export class AccessTokens {
  /** Public URL of the OAuth server; null when there is no OAuth server. */
  private readonly publicUrl: string | null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS)
    { OAUTH_ENABLED: isOn, PUBLIC_URL: publicUrl }: Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_URL'>,
  ) {
    this.publicUrl = isOn ? publicUrl : null;
  }

  /**
   * Returns the grant of a valid token whose audience is exactly the path `resource`, by default
   * the path of this API; null for any other text.
   */
  async find(text: string, resource: string = API_RESOURCE_PATH): Promise<AuthenticatedGrant | null> {
    const hash = accessTokenHash(this.secrets.oauthPepper, text);
    if (this.publicUrl === null || hash === undefined) return null;
    const [token] = await liveTokens(this.dataSource.manager, [hash]);
    if (token === undefined || token.resource !== canonicalResource(this.publicUrl + resource)) return null;
    const { id, userId, organisationId, workspaceId, role, expiresAt, boundTo } = token;
    const memberships = await activeMemberships(this.dataSource, { userId, organisationId, workspaceId });
    return {
      ...{ id, userId, organisationId, workspaceId, role, expiresAt, memberships },
      ...{ scopes: new Set(scopesOfToken(token)), lacksFactor: false, boundTo },
    };
  }
}
