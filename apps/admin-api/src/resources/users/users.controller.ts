import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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

  @Put(':userId')
  @Requires('organisation_users.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Body() body: UpdateUserDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.changes.update(caller, userId, body, ifMatch);
  }

  @Delete(':userId')
  @Requires('organisation_users.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.changes.remove(caller, userId, ifMatch);
  }
}
