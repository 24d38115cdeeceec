import { PROVIDER_CATALOGUE } from '@gw/providers';
import { listResponseOf, IfMatch, listOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { IntegrationModelsService } from './integration-models.service';
import { IntegrationWorkspacesService } from './integration-workspaces.service';
import {
  CreatedIntegrationDto,
  CreateIntegrationDto,
  DeleteModelsQuery,
  ListIntegrationsQuery,
  UpdateIntegrationDto,
  UpdateIntegrationModelsDto,
  UpdateIntegrationWorkspacesDto,
} from './integrations.dto';
import { IntegrationsService } from './integrations.service';
import {
  CatalogueProviderResponse,
  DeletedIntegration,
  IntegrationResponse,
  IntegrationDetailResponse,
  IntegrationModelsResponse,
  IntegrationWorkspacesResponse,
  toCatalogueProvider,
} from './integrations.view';

@ControlRoutes('integrations')
export class IntegrationsController {
  constructor(
    private readonly integrations: IntegrationsService,
    private readonly models: IntegrationModelsService,
    private readonly workspaces: IntegrationWorkspacesService,
  ) {}

  @Route.post(
    '',
    ['organisation_integrations.create', 'workspace_integrations.create'],
    CreatedIntegrationDto,
  )
  create(@Caller() caller: Principal, @Body() body: CreateIntegrationDto): Promise<CreatedIntegrationDto> {
    return this.integrations.create(caller, body);
  }

  @Route.get(
    '',
    ['organisation_integrations.list', 'workspace_integrations.list'],
    listResponseOf(IntegrationResponse),
  )
  list(
    @Caller() caller: Principal,
    @Query() query: ListIntegrationsQuery,
  ): Promise<ListResponse<IntegrationResponse>> {
    return this.integrations.list(caller, query);
  }

  @Route.get(
    ':integration',
    ['organisation_integrations.read', 'workspace_integrations.read'],
    IntegrationDetailResponse,
  )
  get(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationDetailResponse> {
    return this.integrations.get(caller, integration);
  }

  @Route.put(':integration', ['organisation_integrations.update', 'workspace_integrations.update'])
  update(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Body() body: UpdateIntegrationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.integrations.update(caller, integration, body, ifMatch);
  }

  @Route.delete(
    ':integration',
    ['organisation_integrations.delete', 'workspace_integrations.delete'],
    DeletedIntegration,
  )
  remove(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedIntegration> {
    return this.integrations.remove(caller, integration, ifMatch);
  }

  @Route.get(
    [':integration/models', ':integration/integration-models'],
    ['organisation_integrations.read', 'workspace_integrations.read'],
    IntegrationModelsResponse,
  )
  listModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationModelsResponse> {
    return this.models.list(caller, integration);
  }

  @Route.put(
    [':integration/models', ':integration/integration-models'],
    ['organisation_integrations.update', 'workspace_integrations.update'],
  )
  updateModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Body() body: UpdateIntegrationModelsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.models.update(caller, integration, body, ifMatch);
  }

  @Route.delete(
    [':integration/models', ':integration/integration-models'],
    ['organisation_integrations.update', 'workspace_integrations.update'],
  )
  removeModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Query() query: DeleteModelsQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.models.remove(caller, integration, query.slugs, ifMatch);
  }

  @Route.get(
    ':integration/workspaces',
    ['organisation_integrations.read', 'workspace_integrations.read'],
    IntegrationWorkspacesResponse,
  )
  listWorkspaces(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationWorkspacesResponse> {
    return this.workspaces.list(caller, integration);
  }

  @Route.put(':integration/workspaces', ['organisation_integrations.update', 'workspace_integrations.update'])
  updateWorkspaces(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Body() body: UpdateIntegrationWorkspacesDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.workspaces.update(caller, integration, body, ifMatch);
  }
}

@ControlRoutes('utils/static-resources')
export class ProviderCatalogueController {
  /** The providers that an integration may name, with their fields. */
  @Route.get(
    'integration-providers',
    ['organisation_integrations.list', 'workspace_integrations.list'],
    listResponseOf(CatalogueProviderResponse),
  )
  list(): ListResponse<CatalogueProviderResponse> {
    const data = PROVIDER_CATALOGUE.map(toCatalogueProvider);
    return listOf([data, data.length]);
  }
}
