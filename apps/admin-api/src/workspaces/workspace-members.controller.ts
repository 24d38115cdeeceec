import type { ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { AddMembersDto, ListMembersQuery, UpdateMemberDto } from './workspace-members.dto';
import { WorkspaceMembersService } from './workspace-members.service';

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
  add(@Caller() caller: Principal, @Body() body: AddMembersDto): Promise<object> {
    return this.members.add(caller, body);
  }

  @Get()
  @Requires('workspace_users.list')
  list(@Caller() caller: Principal, @Query() query: ListMembersQuery): Promise<ListAnswer<object>> {
    return this.members.list(caller, query);
  }

  @Get(':userId')
  @Requires('workspace_users.read')
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<object> {
    return this.members.get(caller, userId);
  }

  @Put(':userId')
  @Requires('workspace_users.update')
  update(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Body() body: UpdateMemberDto,
  ): Promise<object> {
    return this.members.update(caller, userId, body);
  }

  @Delete(':userId')
  @Requires('workspace_users.delete')
  remove(@Caller() caller: Principal, @Param('userId') userId: string): Promise<object> {
    return this.members.remove(caller, userId);
  }
}
