import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { PermissionsResponse } from '../../platform/auth/permissions.dto';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { UserChangesService } from './user-changes.service';
import { ListUsersQuery, UpdateUserDto, UserResponse } from './users.dto';
import { UsersService } from './users.service';

@ControlRoutes('admin/users', 'users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly changes: UserChangesService,
  ) {}

  @Route.get('', 'organisation_users.list', listResponseOf(UserResponse))
  list(@Caller() caller: Principal, @Query() query: ListUsersQuery): Promise<ListResponse<UserResponse>> {
    return this.users.list(caller, query);
  }

  @Route.get(':userId', 'organisation_users.read', UserResponse)
  get(@ResourceParam('userId') at: ResourceReference): Promise<UserResponse> {
    return this.users.get(at);
  }

  @Route.get(':userId/permissions', 'organisation_users.read', PermissionsResponse)
  permissions(@ResourceParam('userId') at: ResourceReference): Promise<PermissionsResponse> {
    return this.users.permissions(at);
  }

  @Route.put(':userId', 'organisation_users.update')
  update(@ResourceParam('userId') at: ResourceReference, @Body() body: UpdateUserDto): Promise<object> {
    return this.changes.update(at, body);
  }

  @Route.delete(':userId', 'organisation_users.delete')
  remove(@ResourceParam('userId') at: ResourceReference): Promise<object> {
    return this.changes.remove(at);
  }
}
