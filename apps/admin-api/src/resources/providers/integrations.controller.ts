import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import type { IntegrationAction } from '../../platform/rows/integrations.queries';
import { IntegrationModelsService } from './integration-models.service';
import { IntegrationWorkspacesService } from './integration-workspaces.service';
import {
  CreatedIntegrationResponse,
  CreateIntegrationDto,
  DeleteModelsQuery,
  ListIntegrationsQuery,
  UpdateIntegrationDto,
  UpdateIntegrationModelsDto,
  UpdateIntegrationWorkspacesDto,
} from './integrations.dto';
import { IntegrationsService } from './integrations.service';
import {
  DeletedIntegration,
  IntegrationResponse,
  IntegrationDetailResponse,
  IntegrationModelsResponse,
  IntegrationWorkspacesResponse,
} from './integrations.view';

/**
 * Returns the scopes of a route, one of which the caller needs; the integration decides which one.
 */
const scopesFor = (action: IntegrationAction): [string, string] => [
  `organisation_integrations.${action}`,
  `workspace_integrations.${action}`,
];

@ControlRoutes('integrations')
export class IntegrationsController {
  constructor(
    private readonly integrations: IntegrationsService,
    private readonly models: IntegrationModelsService,
    private readonly workspaces: IntegrationWorkspacesService,
  ) {}

  @Route.post('', scopesFor('create'), CreatedIntegrationResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateIntegrationDto,
  ): Promise<CreatedIntegrationResponse> {
    return this.integrations.create(caller, body);
  }

  @Route.get('', scopesFor('list'), listResponseOf(IntegrationResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListIntegrationsQuery,
  ): Promise<ListResponse<IntegrationResponse>> {
    return this.integrations.list(caller, query);
  }

  @Route.get(':integration', scopesFor('read'), IntegrationDetailResponse)
  get(@ResourceParam('integration') at: ResourceReference): Promise<IntegrationDetailResponse> {
    return this.integrations.get(at);
  }

  @Route.put(':integration', scopesFor('update'))
  update(
    @ResourceParam('integration') at: ResourceReference,
    @Body() body: UpdateIntegrationDto,
  ): Promise<object> {
    return this.integrations.update(at, body);
  }

  @Route.delete(':integration', scopesFor('delete'), DeletedIntegration)
  remove(@ResourceParam('integration') at: ResourceReference): Promise<DeletedIntegration> {
    return this.integrations.remove(at);
  }

  @Route.get(
    [':integration/models', ':integration/integration-models'],
    scopesFor('read'),
    IntegrationModelsResponse,
  )
  listModels(@ResourceParam('integration') at: ResourceReference): Promise<IntegrationModelsResponse> {
    return this.models.list(at);
  }

  @Route.put([':integration/models', ':integration/integration-models'], scopesFor('update'))
  updateModels(
    @ResourceParam('integration') at: ResourceReference,
    @Body() body: UpdateIntegrationModelsDto,
  ): Promise<object> {
    return this.models.update(at, body);
  }

  @Route.delete([':integration/models', ':integration/integration-models'], scopesFor('update'))
  removeModels(
    @ResourceParam('integration') at: ResourceReference,
    @Query() query: DeleteModelsQuery,
  ): Promise<object> {
    return this.models.remove(at, query.slugs);
  }

  @Route.get(':integration/workspaces', scopesFor('read'), IntegrationWorkspacesResponse)
  listWorkspaces(
    @ResourceParam('integration') at: ResourceReference,
  ): Promise<IntegrationWorkspacesResponse> {
    return this.workspaces.list(at);
  }

  @Route.put(':integration/workspaces', scopesFor('update'))
  updateWorkspaces(
    @ResourceParam('integration') at: ResourceReference,
    @Body() body: UpdateIntegrationWorkspacesDto,
  ): Promise<object> {
    return this.workspaces.update(at, body);
  }
}
