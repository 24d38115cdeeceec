import { listResponseOf, IfMatch, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import {
  CreateWorkspaceDto,
  DeleteWorkspaceDto,
  GetWorkspaceQuery,
  ListWorkspacesQuery,
  UpdateWorkspaceDto,
} from './workspaces.dto';
import { WorkspacesService } from './workspaces.service';
import { WorkspaceResponse } from './workspaces.view';

@ControlRoutes('admin/workspaces', 'workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Route.post('', 'workspaces.create', WorkspaceResponse)
  create(@Caller() caller: Principal, @Body() body: CreateWorkspaceDto): Promise<WorkspaceResponse> {
    return this.workspaces.create(caller, body);
  }

  @Route.get('', 'workspaces.list', listResponseOf(WorkspaceResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListWorkspacesQuery,
  ): Promise<ListResponse<WorkspaceResponse>> {
    return this.workspaces.list(caller, query);
  }

  @Route.get(':workspaceId', 'workspaces.read', WorkspaceResponse)
  get(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Query() query: GetWorkspaceQuery,
  ): Promise<WorkspaceResponse> {
    return this.workspaces.get(caller, workspaceId, query);
  }

  @Route.put(':workspaceId', 'workspaces.update')
  update(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Body() body: UpdateWorkspaceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.workspaces.update(caller, workspaceId, body, ifMatch);
  }

  @Route.delete(':workspaceId', 'workspaces.delete')
  remove(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Body() body: DeleteWorkspaceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.workspaces.remove(caller, workspaceId, body, ifMatch);
  }
}
