import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { UserChangesService } from './user-changes.service';
import { ListUsersQuery, UpdateUserDto, UserAnswer } from './users.dto';
import { UsersService } from './users.service';

@ControlRoutes('admin/users', 'users')
export class UsersController {
  constructor(
    private readonly users: UsersService,
    private readonly changes: UserChangesService,
  ) {}

  @Route.get('', 'organisation_users.list', listAnswerOf(UserAnswer))
  list(@Caller() caller: Principal, @Query() query: ListUsersQuery): Promise<ListAnswer<UserAnswer>> {
    return this.users.list(caller, query);
  }

  @Route.get(':userId', 'organisation_users.read', UserAnswer)
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<UserAnswer> {
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
