import { listAnswerOf, type ListAnswer } from '@gw/web';
import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { ListUsersQuery, UserAnswer } from './users.dto';
import { UsersService } from './users.service';

@ControlRoutes('admin/users', 'users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get()
  @Requires('organisation_users.list')
  @ApiOkResponse({ type: listAnswerOf(UserAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListUsersQuery): Promise<ListAnswer<UserAnswer>> {
    return this.users.list(caller, query);
  }

  @Get(':userId')
  @Requires('organisation_users.read')
  @ApiOkResponse({ type: UserAnswer })
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<UserAnswer> {
    return this.users.get(caller, userId);
  }
}
