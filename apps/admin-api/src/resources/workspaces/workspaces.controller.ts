import { EmptyAnswer, listAnswerOf, IfMatch, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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
import { WorkspaceAnswer } from './workspaces.view';

@ControlRoutes('admin/workspaces', 'workspaces')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Post()
  @Requires('workspaces.create')
  @ApiOkResponse({ type: WorkspaceAnswer })
  create(@Caller() caller: Principal, @Body() body: CreateWorkspaceDto): Promise<WorkspaceAnswer> {
    return this.workspaces.create(caller, body);
  }

  @Get()
  @Requires('workspaces.list')
  @ApiOkResponse({ type: listAnswerOf(WorkspaceAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListWorkspacesQuery,
  ): Promise<ListAnswer<WorkspaceAnswer>> {
    return this.workspaces.list(caller, query);
  }

  @Get(':workspaceId')
  @Requires('workspaces.read')
  @ApiOkResponse({ type: WorkspaceAnswer })
  get(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Query() query: GetWorkspaceQuery,
  ): Promise<WorkspaceAnswer> {
    return this.workspaces.get(caller, workspaceId, query);
  }

  @Put(':workspaceId')
  @Requires('workspaces.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Body() body: UpdateWorkspaceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.workspaces.update(caller, workspaceId, body, ifMatch);
  }

  @Delete(':workspaceId')
  @Requires('workspaces.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('workspaceId') workspaceId: string,
    @Body() body: DeleteWorkspaceDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.workspaces.remove(caller, workspaceId, body, ifMatch);
  }
}
