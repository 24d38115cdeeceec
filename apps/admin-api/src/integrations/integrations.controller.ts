import { PROVIDER_CATALOGUE } from '@gw/contracts';
import { IfMatch, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
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
import type { IntegrationAnswer, IntegrationDetailAnswer } from './integrations.view';

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
  list(
    @Caller() caller: Principal,
    @Query() query: ListIntegrationsQuery,
  ): Promise<ListAnswer<IntegrationAnswer>> {
    return this.integrations.list(caller, query);
  }

  @Get(':integration')
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  get(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
  ): Promise<IntegrationDetailAnswer> {
    return this.integrations.get(caller, integration);
  }

  @Put(':integration')
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
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
  remove(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.integrations.remove(caller, integration, ifMatch);
  }

  @Get([':integration/models', ':integration/integration-models'])
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  listModels(@Caller() caller: Principal, @Param('integration') integration: string): Promise<object> {
    return this.models.list(caller, integration);
  }

  @Put([':integration/models', ':integration/integration-models'])
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
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
  removeModels(
    @Caller() caller: Principal,
    @Param('integration') integration: string,
    @Query() query: DeleteModelsQuery,
  ): Promise<object> {
    return this.models.remove(caller, integration, query.slugs);
  }

  @Get(':integration/workspaces')
  @Requires('organisation_integrations.read', 'workspace_integrations.read')
  listWorkspaces(@Caller() caller: Principal, @Param('integration') integration: string): Promise<object> {
    return this.workspaces.list(caller, integration);
  }

  @Put(':integration/workspaces')
  @Requires('organisation_integrations.update', 'workspace_integrations.update')
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
  list(): ListAnswer<object> {
    const data = PROVIDER_CATALOGUE.map(({ id, name, needsKey, fields }) => ({
      id,
      name,
      needs_key: needsKey,
      configurations: fields.map(({ name: field, kind, secret, required, values }) => ({
        name: field,
        kind,
        secret,
        required,
        ...(values === undefined ? {} : { values }),
      })),
      object: 'integration-provider',
    }));
    return { object: 'list', total: data.length, data };
  }
}
