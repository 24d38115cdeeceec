import { OrganisationUserEntity, UserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type SelectQueryBuilder } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { escapeLike } from '../../platform/common/text';
import { userPageOf } from '../../platform/common/user-page';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { orderRows } from '../../platform/resource/list-order';
import type { PermissionsResponse } from '../../platform/auth/permissions.dto';
import { PermissionsService } from '../../platform/auth/permissions.service';
import { found, idOf, inOrganisation } from '../../platform/auth/tenancy';
import { userTag, type ListUsersQuery, type UserResponse } from './users.dto';

const FULL_NAME = `(person.first_name || ' ' || person.last_name)`;

interface UserRow {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly role: OrganisationUserEntity['role'];
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

@Injectable()
export class UsersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly explained: PermissionsService,
  ) {}

  async list(caller: Principal, query: ListUsersQuery): Promise<ListResponse<UserResponse>> {
    const { organisationId } = inOrganisation(caller);
    const { skip, take } = windowOf(userPageOf(query));
    const users = this.seatsOf(organisationId);
    if (query.role !== undefined) users.andWhere('seat.role = :role', { role: query.role });
    if (query.email !== undefined)
      users.andWhere('person.email = :email', { email: query.email.toLowerCase() });
    if (query.search !== undefined) {
      const search = `%${escapeLike(query.search)}%`;
      users.andWhere(`(person.email ILIKE :search OR ${FULL_NAME} ILIKE :search)`, { search });
    }
    const total = await users.getCount();
    const rows = await orderRows(columnsOf(users), query, 'seat.userId', (field) =>
      field === 'email' ? 'person' : 'seat',
    )
      .offset(skip)
      .limit(take)
      .getRawMany<UserRow>();
    return listOf([await this.viewsOf(organisationId, rows), total]);
  }

  async get({ caller, reference }: ResourceReference): Promise<UserResponse> {
    const { organisationId } = inOrganisation(caller);
    const seat = this.seatsOf(organisationId).andWhere('person.id = :id', { id: idOf(reference) });
    const row = await columnsOf(seat).getRawOne<UserRow>();
    const [view] = await this.viewsOf(organisationId, [found(row)]);
    return found(view);
  }

  permissions({ caller, reference }: ResourceReference): Promise<PermissionsResponse> {
    const { organisationId } = inOrganisation(caller);
    return this.explained.describe(organisationId, idOf(reference));
  }

  private seatsOf(organisationId: string): SelectQueryBuilder<OrganisationUserEntity> {
    return this.dataSource
      .createQueryBuilder(OrganisationUserEntity, 'seat')
      .innerJoin(UserEntity, 'person', 'person.id = seat.userId')
      .where(`seat.organisationId = :organisationId AND seat.status = 'active'`, { organisationId });
  }

  private async viewsOf(organisationId: string, rows: readonly UserRow[]): Promise<UserResponse[]> {
    const { manager } = this.dataSource;
    const workspaces = await manager.find(WorkspaceEntity, {
      where: { organisationId, status: 'active' },
      select: { id: true },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
    const all = workspaces.map(({ id }) => id);
    const live = new Set(all);
    const memberships = await manager.findBy(WorkspaceUserEntity, { userId: In(rows.map(({ id }) => id)) });
    return rows.map((row) => ({
      object: 'user',
      id: row.id,
      first_name: row.firstName,
      last_name: row.lastName,
      email: row.email,
      role: row.role,
      created_at: row.createdAt.toISOString(),
      last_updated_at: row.lastUpdatedAt.toISOString(),
      workspace_ids:
        row.role === 'member'
          ? memberships
              .filter(({ userId, workspaceId }) => userId === row.id && live.has(workspaceId))
              .map(({ workspaceId }) => workspaceId)
          : all,
      etag: userTag(row),
    }));
  }
}

const columnsOf = (
  users: SelectQueryBuilder<OrganisationUserEntity>,
): SelectQueryBuilder<OrganisationUserEntity> =>
  users
    .select('person.id', 'id')
    .addSelect('person.firstName', 'firstName')
    .addSelect('person.lastName', 'lastName')
    .addSelect('person.email', 'email')
    .addSelect('seat.role', 'role')
    .addSelect('seat.createdAt', 'createdAt')
    .addSelect('person.lastUpdatedAt', 'lastUpdatedAt');
