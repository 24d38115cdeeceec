import { PROVIDER_CATALOGUE } from '@gw/providers';
import { EmptyAnswer, listAnswerOf, IfMatch, listOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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
  CatalogueProviderAnswer,
  DeletedIntegration,
  IntegrationAnswer,
  IntegrationDetailAnswer,
  IntegrationModelsAnswer,
  IntegrationWorkspacesAnswer,
  toCatalogueProvider,
} from './integrations.view';

@ControlRoutes('integrations')
export class IntegrationsController {
  constructor(
    private readonly integrations: IntegrationsService,
    private readonly models: IntegrationModelsService,
    private readonly workspaces: IntegrationWorkspacesService,
  ) {}

  @Post()
  @Requires('organisation_integrations.create', 'workspace_integrations.create')
  @ApiOkResponse({ type: CreatedIntegrationDto })
  create(@Caller() caller: Principal, @Body() body: CreateIntegrationDto): Promise<CreatedIntegrationDto> {
    return this.integrations.create(caller, body);
  }

  @Get()
  @Requires('organisation_integrations.list', 'workspace_integrations.list')
  @ApiOkResponse({ type: listAnswerOf(IntegrationAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListIntegrationsQuery,
  ): Promise<ListAnswer<IntegrationAnswer>> {
    return this.integrations.list(caller, query);
  }

  @Get(':integration')
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  @ApiOkResponse({ type: IntegrationDetailAnswer })
  get(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationDetailAnswer> {
    return this.integrations.get(caller, integration);
  }

  @Put(':integration')
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
  @ApiOkResponse({ type: EmptyAnswer })
  update(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Body() body: UpdateIntegrationDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.integrations.update(caller, integration, body, ifMatch);
  }

  @Delete(':integration')
  @Requires('organisation_integrations.delete', 'workspace_integrations.delete')
  @ApiOkResponse({ type: DeletedIntegration })
  remove(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DeletedIntegration> {
    return this.integrations.remove(caller, integration, ifMatch);
  }

  @Get([':integration/models', ':integration/integration-models'])
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  @ApiOkResponse({ type: IntegrationModelsAnswer })
  listModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationModelsAnswer> {
    return this.models.list(caller, integration);
  }

  @Put([':integration/models', ':integration/integration-models'])
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
  @ApiOkResponse({ type: EmptyAnswer })
  updateModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Body() body: UpdateIntegrationModelsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.models.update(caller, integration, body, ifMatch);
  }

  @Delete([':integration/models', ':integration/integration-models'])
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
  @ApiOkResponse({ type: EmptyAnswer })
  removeModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Query() query: DeleteModelsQuery,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.models.remove(caller, integration, query.slugs, ifMatch);
  }

  @Get(':integration/workspaces')
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  @ApiOkResponse({ type: IntegrationWorkspacesAnswer })
  listWorkspaces(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationWorkspacesAnswer> {
    return this.workspaces.list(caller, integration);
  }

  @Put(':integration/workspaces')
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
  @ApiOkResponse({ type: EmptyAnswer })
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
  @Get('integration-providers')
  @Requires('organisation_integrations.list', 'workspace_integrations.list')
  @ApiOkResponse({ type: listAnswerOf(CatalogueProviderAnswer) })
  list(): ListAnswer<CatalogueProviderAnswer> {
    const data = PROVIDER_CATALOGUE.map(toCatalogueProvider);
    return listOf([data, data.length]);
  }
}
