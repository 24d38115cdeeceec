import { OrganisationEntity, OrganisationUserEntity, UserEntity, WorkspaceEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import type { SelfResponse } from './auth.dto';
import type { Principal } from '../common/principal';
import { found } from './tenancy';

/**
 * Maximum number of workspaces in the response; an owner or admin lists the rest with `GET
 * /v1/workspaces`.
 */
const WORKSPACES_MAX = 1_000;

@Injectable()
export class SelfService {
  constructor(private readonly dataSource: DataSource) {}

  async describe(caller: Principal): Promise<SelfResponse> {
    const { manager } = this.dataSource;
    const id = caller.userId ?? '';
    const user = found(await manager.findOneBy(UserEntity, { id }));
    // A token of one organisation's trust must not show the user's other organisations.
    const scope = caller.sessionId === null ? { organisationId: caller.organisationId } : {};
    const seats = await manager.findBy(OrganisationUserEntity, { userId: id, status: 'active', ...scope });
    const organisations = await manager.findBy(OrganisationEntity, {
      id: In(seats.map(({ organisationId }) => organisationId)),
      status: 'active',
    });
    const roles = new Map(seats.map(({ organisationId, role }) => [organisationId, role]));
    const briefs = organisations.map((row) => ({
      id: row.id,
      name: row.name,
      role: roles.get(row.id) ?? 'member',
    }));
    const own = found(organisations.find((row) => row.id === caller.organisationId));
    return {
      object: 'user',
      id: user.id,
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      organisation: {
        id: own.id,
        name: own.name,
        role: caller.organisationRole ?? 'member',
        settings: own.settings,
      },
      organisations: briefs,
      workspaces: await this.workspacesOf(caller),
      scopes: [...caller.scopes],
      auth_type: caller.sessionId === null ? 'jwt' : 'session',
      expires_at: caller.expiresAt?.toISOString() ?? null,
    };
  }

  private async workspacesOf(caller: Principal): Promise<SelfResponse['workspaces']> {
    const { organisationId, organisationRole, memberships } = caller;
    const rows = await this.dataSource.manager.find(WorkspaceEntity, {
      where: {
        organisationId,
        status: 'active',
        ...(organisationRole === 'member' ? { id: In([...memberships.keys()]) } : {}),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: WORKSPACES_MAX,
    });
    return rows.map((row) => ({
      id: row.id,
      slug: row.slug,
      name: row.name,
      role: memberships.get(row.id) ?? 'admin',
    }));
  }
}
