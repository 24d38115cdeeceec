import {
  OauthArtifactEntity,
  OauthConsentEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { hashApiKey } from '@gw/kernel';
import { canonicalResource } from '@gw/oauth';
import { Inject, Injectable } from '@nestjs/common';
import type { KeyObject } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { activeMemberships } from './active-memberships';
import type { AuthenticatedSession } from './session.strategy';

export const ACCESS_PREFIX = 'pat_';
const TOKEN = /^pat_([\w-]{43})$/;
const RESOURCE_PATH = '/v1';

/** Hash by which the OAuth server stores something that it has issued. */
export const artifactHash = (pepper: KeyObject, model: string, id: string): string =>
  hashApiKey(pepper, `${model}:${id}`);

/** A user who calls by an access token: what the grant gives bounds what the user may do. */
export interface AuthenticatedGrant extends AuthenticatedSession {
  readonly scopes: ReadonlySet<string>;
  /** Null: the whole organisation, as far as the user's role goes. */
  readonly workspaceId: string | null;
}

type Row = Omit<AuthenticatedGrant, 'memberships' | 'scopes' | 'lacksFactor'> & {
  readonly tokenScope: string | null;
  readonly granted: readonly string[];
};

/** Access tokens of the OAuth server, as credentials of the control plane. */
@Injectable()
export class AccessTokens {
  /** Audience of tokens that are for this API; null when there is no OAuth server. */
  private readonly resource: string | null;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    @Inject(SETTINGS)
    { OAUTH_ENABLED: isOn, PUBLIC_URL: publicUrl }: Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_URL'>,
  ) {
    this.resource =
      isOn && publicUrl !== null ? (canonicalResource(publicUrl + RESOURCE_PATH) ?? null) : null;
  }

  /**
   * The grant of a token that is for this API; null for any other text. Users, organisations and workspaces that are no longer active
   * end it at once, and so does a membership that has ended.
   */
  async find(text: string): Promise<AuthenticatedGrant | null> {
    const [, id] = TOKEN.exec(text) ?? [];
    if (this.resource === null || id === undefined) return null;
    const row = await this.row(artifactHash(this.secrets.oauthPepper, 'AccessToken', id), this.resource);
    if (row === null) return null;
    const { tokenScope, granted, ...grant } = row;
    const memberships = await activeMemberships(this.dataSource, grant);
    const { workspaceId, role } = grant;
    if (workspaceId !== null && role === 'member' && !memberships.has(workspaceId)) return null;
    const scopes = new Set((tokenScope ?? '').split(' ').filter((scope) => granted.includes(scope)));
    return { ...grant, memberships, scopes, lacksFactor: false };
  }

  private async row(idHash: string, resource: string): Promise<Row | null> {
    const row = await this.dataSource
      .createQueryBuilder(OauthArtifactEntity, 'artifact')
      .innerJoin(OauthConsentEntity, 'consent', 'consent.id = artifact.grantId AND consent.expiresAt > now()')
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
      .select('consent.id', 'id')
      .addSelect('consent.organisationId', 'organisationId')
      .addSelect('consent.workspaceId', 'workspaceId')
      .addSelect('consent.userId', 'userId')
      .addSelect('consent.scopes', 'granted')
      .addSelect(`artifact.payload ->> 'scope'`, 'tokenScope')
      .addSelect('artifact.expiresAt', 'expiresAt')
      .addSelect('seat.role', 'role')
      .where(`artifact.idHash = :idHash AND artifact.model = 'AccessToken' AND artifact.expiresAt > now()`, {
        idHash,
      })
      .andWhere('consent.resource = :resource', { resource })
      .andWhere(`(consent.workspaceId IS NULL OR workspace.status = 'active')`)
      .getRawOne<Row>();
    return row ?? null;
  }
}
