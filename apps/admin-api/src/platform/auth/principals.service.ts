import {
  ceilingOf,
  removedCapabilities,
  settingGroupOf,
  type CapabilityName,
  type SettingGroup,
} from '@gw/auth-scopes';
import { WorkspaceEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { AuthenticatedGrant } from './access-tokens';
import type { AuthenticatedKey } from './api-key.authenticator';
import { dispatchedCall } from './dispatched-calls';
import type { Principal, RequestFacts } from '../common/principal';
import type { AuthenticatedSession } from './session.strategy';
import { securityOf } from './security';
import { byReference } from './tenancy';

const memberOf = (source: unknown, name: string): unknown =>
  typeof source === 'object' && source !== null && !Array.isArray(source)
    ? Reflect.get(source, name)
    : undefined;

/**
 * Returns the workspace that the request names in its path, body or query, in this order; null when
 * it names none.
 */
function namedWorkspace(request: FastifyRequest): string | null {
  const inBody = request.method === 'GET' ? undefined : memberOf(request.body, 'workspace_id');
  const inQuery = memberOf(request.query, 'workspace_id');
  if (Array.isArray(inQuery)) throw invalid('workspace_id', 'workspace_id must be given once');
  const named = memberOf(request.params, 'workspaceId') ?? inBody ?? inQuery;
  // The validation of the route reports a value that is not a string.
  return typeof named === 'string' && named !== '' ? named : null;
}

/** Paths where `workspace_slug` names the workspace of the request. Elsewhere it filters a list. */
const BY_SLUG = /^\/v[12]\/analytics\//;

/** Returns `workspace_slug` from the query of an analytics route; null when absent or elsewhere. */
function workspaceSlugOf(request: FastifyRequest): string | null {
  if (!BY_SLUG.test(request.url)) return null;
  const slug = memberOf(request.query, 'workspace_slug');
  if (Array.isArray(slug)) throw invalid('workspace_slug', 'workspace_slug must be given once');
  return typeof slug === 'string' && slug !== '' ? slug : null;
}

export function factsOf(request: FastifyRequest): RequestFacts {
  return (
    dispatchedCall()?.facts ?? {
      id: request.id,
      method: request.method,
      uri: request.url.split('?', 1)[0] ?? '/',
      clientIp: request.clientAddress || null,
      userAgent: request.headers['user-agent'] ?? null,
    }
  );
}

/**
 * Returns the setting group that restricts a key and the capabilities that it removes. A user key
 * is restricted by its user's current role, a service key by its creator's role.
 */
function restrictionOf(key: AuthenticatedKey): {
  readonly settingGroup: SettingGroup | null;
  readonly removedCapabilities: ReadonlySet<CapabilityName>;
} {
  const { organisationRole, workspaceRole, security } = key;
  const isUsers = key.type === 'workspace-user' && organisationRole !== null;
  const settingGroup = isUsers ? settingGroupOf(organisationRole, workspaceRole) : key.boundAs;
  return { settingGroup, removedCapabilities: removedCapabilities(settingGroup, security) };
}

/**
 * Turns a credential into the caller of one request, limited to the workspace that the request
 * names.
 */
@Injectable()
export class PrincipalsService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the caller of an API key. Throws `not_found` when the key cannot reach the named
   * workspace.
   */
  async ofKey(key: AuthenticatedKey, request: FastifyRequest): Promise<Principal> {
    // A workspace key always acts in its own workspace; `workspace_slug` is ignored.
    const slug = key.workspaceId === null ? workspaceSlugOf(request) : null;
    const named = await this.workspaceNamedBy(request, key.organisationId, slug, true);
    if (named !== null && key.workspaceId !== null && named !== key.workspaceId) {
      throw new GatewayError('not_found');
    }
    return {
      kind: 'api_key',
      organisationId: key.organisationId,
      workspaceId: key.workspaceId ?? named,
      userId: key.userId,
      apiKeyId: key.id,
      makerId: key.madeBy,
      keyType: key.type,
      ...{ sessionId: null, grantId: null },
      organisationRole: key.type === 'workspace-user' ? key.organisationRole : null,
      workspaceRole: key.type === 'workspace-user' ? key.workspaceRole : null,
      memberships: new Map(),
      scopes: new Set(key.scopes),
      ...restrictionOf(key),
      expiresAt: key.expiresAt,
      request: factsOf(request),
    };
  }

  /**
   * Returns the caller of a session. A member of only one workspace need not name it. Throws
   * `not_found` when the user cannot reach the named workspace.
   */
  async ofSession(session: AuthenticatedSession, request: FastifyRequest): Promise<Principal> {
    return this.inWorkspace(session, await this.reached(session, request), request);
  }

  /**
   * Returns the caller of an access token: its user, with the scopes of the grant that the user
   * still holds, limited to the grant's workspace. Throws `not_found` for another workspace.
   */
  async ofGrant(grant: AuthenticatedGrant, request: FastifyRequest): Promise<Principal> {
    const reached = await this.reached(grant, request);
    const workspaceId = grant.workspaceId ?? reached;
    if (reached !== null && reached !== workspaceId) throw new GatewayError('not_found');
    const caller = await this.inWorkspace(grant, workspaceId, request);
    const scopes = new Set([...caller.scopes].filter((scope) => grant.scopes.has(scope)));
    return { ...caller, sessionId: null, grantId: grant.id, scopes };
  }

  /**
   * Returns the id of the workspace that the request names, else of the only workspace of a member;
   * null for neither. Throws `not_found` as `ofSession` does.
   */
  private async reached(
    { role, memberships, organisationId }: AuthenticatedSession,
    request: FastifyRequest,
  ): Promise<string | null> {
    const isMember = role === 'member';
    const slug = workspaceSlugOf(request);
    const named = await this.workspaceNamedBy(request, organisationId, slug, !isMember);
    if (named !== null && isMember && !memberships.has(named)) throw new GatewayError('not_found');
    const [only] = memberships.keys();
    return named ?? (isMember && memberships.size === 1 ? (only ?? null) : null);
  }

  private async inWorkspace(
    session: AuthenticatedSession,
    workspaceId: string | null,
    request: FastifyRequest,
  ): Promise<Principal> {
    const { role, memberships } = session;
    const workspaceRole = workspaceId === null ? null : (memberships.get(workspaceId) ?? null);
    const settings = await securityOf(this.dataSource.manager, session.organisationId, workspaceId);
    const standing = settingGroupOf(role, workspaceRole);
    return {
      kind: 'session',
      organisationId: session.organisationId,
      workspaceId,
      userId: session.userId,
      apiKeyId: null,
      makerId: null,
      keyType: null,
      ...{ sessionId: session.id, grantId: null },
      organisationRole: role,
      workspaceRole,
      memberships,
      scopes: ceilingOf(role, workspaceRole, settings),
      settingGroup: standing,
      removedCapabilities: removedCapabilities(standing, settings),
      expiresAt: session.expiresAt,
      request: factsOf(request),
    };
  }

  /**
   * Returns the id of the workspace that the request names; null when it names none. With
   * `archived`, a workspace named by `slug` may also be archived. Throws `not_found`.
   */
  private async workspaceNamedBy(
    request: FastifyRequest,
    organisationId: string,
    slug: string | null,
    archived: boolean,
  ): Promise<string | null> {
    const first = namedWorkspace(request);
    const named = first ?? slug;
    if (named === null) return null;
    const status = first === null && archived ? {} : { status: 'active' as const };
    const row = await this.dataSource.manager.findOne(WorkspaceEntity, {
      where: { ...byReference(named), organisationId, ...status },
      select: { id: true },
    });
    if (!row) throw new GatewayError('not_found');
    return row.id;
  }
}
