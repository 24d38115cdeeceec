import { ceilingOf, type OrganisationRole, type WorkspaceRole } from '@gw/auth-scopes';
import { WorkspaceEntity } from '@gw/entities';
import { In, type EntityManager } from 'typeorm';
import { securityOf } from '../auth/security';
import type { OauthResource } from './oauth-resources';
import type { AuthenticatedSession } from '../auth/session.strategy';

/** Maximum number of workspaces that a page offers. */
const WORKSPACES_MAX = 500;

/** Organisation and workspace in which tokens of a grant act, and their user. */
export interface Place {
  readonly userId: string;
  readonly organisationId: string;
  /** Workspace; null for the whole organisation. */
  readonly workspaceId: string | null;
}

/** Current data of the user of a grant. */
export interface OauthSeat {
  readonly email: string;
  readonly displayName: string;
  readonly organisationName: string;
  readonly organisationRole: OrganisationRole;
  readonly workspaceName: string | null;
  readonly workspaceSlug: string | null;
  readonly workspaceRole: WorkspaceRole | null;
}

/**
 * Returns the user with the current role. Returns null when the user, the organisation or the
 * workspace is no longer active, or when the user no longer belongs there.
 */
export async function seatOf(
  manager: EntityManager,
  { userId, organisationId, workspaceId }: Place,
): Promise<OauthSeat | null> {
  const [seat] = await manager.query<OauthSeat[]>(
    `SELECT person.email, coalesce(nullif(trim(concat_ws(' ', person.first_name, person.last_name)), ''), person.email)
              AS "displayName",
            organisation.name AS "organisationName", seat.role AS "organisationRole",
            workspace.name AS "workspaceName", workspace.slug AS "workspaceSlug", member.role AS "workspaceRole"
     FROM organisation_users AS seat
     JOIN users AS person ON person.id = seat.user_id AND person.status = 'active'
     JOIN organisations AS organisation ON organisation.id = seat.organisation_id AND organisation.status = 'active'
     LEFT JOIN workspaces AS workspace
       ON workspace.id = $3 AND workspace.organisation_id = seat.organisation_id AND workspace.status = 'active'
     LEFT JOIN workspace_users AS member ON member.workspace_id = workspace.id AND member.user_id = seat.user_id
     WHERE seat.user_id = $1 AND seat.organisation_id = $2 AND seat.status = 'active'
       AND ($3::uuid IS NULL OR (workspace.id IS NOT NULL AND (member.role IS NOT NULL OR seat.role <> 'member')))`,
    [userId, organisationId, workspaceId],
  );
  return seat ?? null;
}

/** Returns the scopes that the user now holds in the workspace or organisation. */
export async function scopesHeld(
  manager: EntityManager,
  { organisationId, workspaceId }: Place,
  { organisationRole, workspaceRole }: OauthSeat,
): Promise<ReadonlySet<string>> {
  const settings = await securityOf(manager, organisationId, workspaceId);
  return ceilingOf(organisationRole, workspaceRole, settings);
}

/**
 * Returns the workspaces that a user can choose for a grant, and whether the user can choose the
 * whole organisation.
 */
export async function choicesFor(
  manager: EntityManager,
  session: AuthenticatedSession,
  { workspace, type }: Pick<OauthResource, 'workspace' | 'type'>,
): Promise<Choices> {
  const all = await workspacesOf(manager, session);
  const isOffered = ({ id, slug }: OfferedWorkspace): boolean =>
    workspace === null || workspace === id || workspace === slug;
  return {
    workspaces: all.filter(isOffered),
    wholeOrganisation: session.role !== 'member' && type === 'control_plane',
  };
}

type OfferedWorkspace = Pick<WorkspaceEntity, 'id' | 'name' | 'slug'>;

export interface Choices {
  readonly workspaces: readonly OfferedWorkspace[];
  readonly wholeOrganisation: boolean;
}

const workspacesOf = (
  manager: EntityManager,
  { organisationId, role, memberships }: AuthenticatedSession,
): Promise<OfferedWorkspace[]> =>
  manager.find(WorkspaceEntity, {
    where: {
      organisationId,
      status: 'active',
      ...(role === 'member' ? { id: In([...memberships.keys()]) } : {}),
    },
    select: { id: true, name: true, slug: true },
    order: { name: 'ASC', id: 'ASC' },
    take: WORKSPACES_MAX,
  });
