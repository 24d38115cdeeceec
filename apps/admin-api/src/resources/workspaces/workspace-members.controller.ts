import { IfMatch, listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { AddMembersDto, ListMembersQuery, UpdateMemberDto } from './workspace-members.dto';
import { WorkspaceMembersService } from './workspace-members.service';
import { MemberResponse } from './workspaces.view';

/** The workspace of the path is read by the access guard, which narrows the caller to it. */
@ApiParam({ name: 'workspaceId', type: 'string' })
@ControlRoutes(
  'admin/workspaces/:workspaceId/users',
  'workspaces/:workspaceId/users',
  'workspaces/:workspaceId/members',
)
export class WorkspaceMembersController {
  constructor(private readonly members: WorkspaceMembersService) {}

  @Route.post('', 'workspace_users.create')
  add(@Caller() caller: Principal, @Body() body: AddMembersDto): Promise<object> {
    return this.members.add(caller, body);
  }

  @Route.get('', 'workspace_users.list', listResponseOf(MemberResponse))
  list(@Caller() caller: Principal, @Query() query: ListMembersQuery): Promise<ListResponse<MemberResponse>> {
    return this.members.list(caller, query);
  }

  @Route.get(':userId', 'workspace_users.read', MemberResponse)
  get(@Caller() caller: Principal, @Param('userId') userId: string): Promise<MemberResponse> {
    return this.members.get(caller, userId);
  }

  @Route.put(':userId', 'workspace_users.update')
  update(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @Body() body: UpdateMemberDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.members.update(caller, userId, body, ifMatch);
  }

  @Route.delete(':userId', 'workspace_users.delete')
  remove(
    @Caller() caller: Principal,
    @Param('userId') userId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.members.remove(caller, userId, ifMatch);
  }
}
