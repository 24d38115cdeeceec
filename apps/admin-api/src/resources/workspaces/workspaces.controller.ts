import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
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
    @ResourceParam('workspaceId') at: ResourceReference,
    @Query() query: GetWorkspaceQuery,
  ): Promise<WorkspaceResponse> {
    return this.workspaces.get(at, query);
  }

  @Route.put(':workspaceId', 'workspaces.update')
  update(
    @ResourceParam('workspaceId') at: ResourceReference,
    @Body() body: UpdateWorkspaceDto,
  ): Promise<object> {
    return this.workspaces.update(at, body);
  }

  @Route.delete(':workspaceId', 'workspaces.delete')
  remove(
    @ResourceParam('workspaceId') at: ResourceReference,
    @Body() body: DeleteWorkspaceDto,
  ): Promise<object> {
    return this.workspaces.remove(at, body);
  }
}
