import { IfMatch, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
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
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<UserResponse> {
    return this.users.get(caller, userId);
  }

  @Route.put(':userId', 'organisation_users.update')
  update(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Body() body: UpdateUserDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.changes.update(caller, userId, body, ifMatch);
  }

  @Route.delete(':userId', 'organisation_users.delete')
  remove(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.changes.remove(caller, userId, ifMatch);
  }
}
