import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { AddMembersDto, ListMembersQuery, MemberResponse, UpdateMemberDto } from './workspace-members.dto';
import { WorkspaceMembersService } from './workspace-members.service';

/** The access guard reads the workspace from the path and restricts the caller to it. */
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
  get(@ResourceParam('userId') at: ResourceReference): Promise<MemberResponse> {
    return this.members.get(at);
  }

  @Route.put(':userId', 'workspace_users.update')
  update(@ResourceParam('userId') at: ResourceReference, @Body() body: UpdateMemberDto): Promise<object> {
    return this.members.update(at, body);
  }

  @Route.delete(':userId', 'workspace_users.delete')
  remove(@ResourceParam('userId') at: ResourceReference): Promise<object> {
    return this.members.remove(at);
  }
}
