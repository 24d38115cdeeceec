import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreateConfigDto,
  CreatedConfigResponse,
  ConfigVersionsQuery,
  ListConfigsQuery,
  UpdateConfigDto,
  UpdatedConfigDto,
} from './configs.dto';
import { ConfigsService } from './configs.service';
import { ConfigResponse, ConfigItemResponse } from './configs.view';
import { SimulateConfigDto } from './simulation.dto';
import { SimulationService } from './simulation.service';
import { SimulationResponse } from './simulation.view';

@ControlRoutes('configs')
@ApiQuery(WORKSPACE_ID)
export class ConfigsController {
  constructor(
    private readonly configs: ConfigsService,
    private readonly simulation: SimulationService,
  ) {}

  @Route.post('', 'configs.create', CreatedConfigResponse)
  create(@Caller() caller: Principal, @Body() body: CreateConfigDto): Promise<CreatedConfigResponse> {
    return this.configs.create(caller, body);
  }

  /** Requires only `configs.read`, because a simulation writes nothing and calls no provider. */
  @Route.post('simulate', 'configs.read', SimulationResponse)
  simulate(@Caller() caller: Principal, @Body() body: SimulateConfigDto): Promise<SimulationResponse> {
    return this.simulation.run(caller, body);
  }

  @Route.get('', 'configs.list', listResponseOf(ConfigItemResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListConfigsQuery,
  ): Promise<ListResponse<ConfigItemResponse>> {
    return this.configs.list(caller, query);
  }

  @Route.get(':config', 'configs.read', ConfigResponse)
  get(@ResourceParam('config') at: ResourceReference): Promise<ConfigResponse> {
    return this.configs.get(at);
  }

  @Route.put(':config', 'configs.update', UpdatedConfigDto)
  update(
    @ResourceParam('config') at: ResourceReference,
    @Body() body: UpdateConfigDto,
  ): Promise<UpdatedConfigDto> {
    return this.configs.update(at, body);
  }

  @Route.delete(':config', 'configs.delete')
  remove(@ResourceParam('config') at: ResourceReference): Promise<object> {
    return this.configs.remove(at);
  }

  @Route.get(':config/versions', 'configs.read', listResponseOf(ConfigResponse))
  versions(
    @ResourceParam('config') at: ResourceReference,
    @Query() query: ConfigVersionsQuery,
  ): Promise<ListResponse<ConfigResponse>> {
    return this.configs.versions(at, query);
  }

  @Route.get(':config/versions/:version', 'configs.read', ConfigResponse)
  version(
    @ResourceParam('config') at: ResourceReference,
    @Param('version') version: string,
  ): Promise<ConfigResponse> {
    return this.configs.version(at, version);
  }
}

/** Older paths for reading a single config. */
@ControlRoutes('config')
@ApiQuery(WORKSPACE_ID)
export class ConfigLookupController {
  constructor(private readonly configs: ConfigsService) {}

  @Route.get('name/:name', 'configs.read', ConfigResponse)
  byName(@Caller() caller: Principal, @Param('name') name: string): Promise<ConfigResponse> {
    return this.configs.getByName(caller, name);
  }

  @Route.get('slug/:slug', 'configs.read', ConfigResponse)
  bySlug(@ResourceParam('slug') at: ResourceReference): Promise<ConfigResponse> {
    return this.configs.get(at);
  }
}
