import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiParam } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { AddMembersDto, ListMembersQuery, UpdateMemberDto } from './workspace-members.dto';
import { WorkspaceMembersService } from './workspace-members.service';
import { MemberAnswer } from './workspaces.view';

/** The workspace of the path is read by the access guard, which narrows the caller to it. */
@ApiParam({ name: 'workspaceId', type: 'string' })
@ControlRoutes(
  'admin/workspaces/:workspaceId/users',
  'workspaces/:workspaceId/users',
  'workspaces/:workspaceId/members',
)
export class WorkspaceMembersController {
  constructor(private readonly members: WorkspaceMembersService) {}

  @Post()
  @Requires('workspace_users.create')
  @ApiOkResponse({ type: EmptyAnswer })
  add(@Caller() caller: Principal, @Body() body: AddMembersDto): Promise<object> {
    return this.members.add(caller, body);
  }

  @Get()
  @Requires('workspace_users.list')
  @ApiOkResponse({ type: listAnswerOf(MemberAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListMembersQuery): Promise<ListAnswer<MemberAnswer>> {
    return this.members.list(caller, query);
  }

  @Get(':userId')
  @Requires('workspace_users.read')
  @ApiOkResponse({ type: MemberAnswer })
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<MemberAnswer> {
    return this.members.get(caller, userId);
  }

  @Put(':userId')
  @Requires('workspace_users.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Body() body: UpdateMemberDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.members.update(caller, userId, body, ifMatch);
  }

  @Delete(':userId')
  @Requires('workspace_users.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.members.remove(caller, userId, ifMatch);
  }
}
