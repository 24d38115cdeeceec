import { listResponseOf, type ListResponse } from '@gw/web';
import { Query } from '@nestjs/common';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { Route } from '../../platform/resource/route';
import { ListWorkspaceModelsQuery, WorkspaceModelResponse } from './workspace-models.dto';
import { WorkspaceModelsService } from './workspace-models.service';

/** The path is not `/v1/models`, which belongs to the gateway and goes to a provider. */
@ControlRoutes('providers/models')
export class WorkspaceModelsController {
  constructor(private readonly models: WorkspaceModelsService) {}

  /** Lists the models that a workspace may call, by provider, with their prices. */
  @Route.get(
    '',
    ['completions.write', 'virtual_keys.list', 'providers.list'],
    listResponseOf(WorkspaceModelResponse),
  )
  list(
    @Caller() caller: Principal,
    @Query() query: ListWorkspaceModelsQuery,
  ): Promise<ListResponse<WorkspaceModelResponse>> {
    return this.models.list(caller, query);
  }
}
