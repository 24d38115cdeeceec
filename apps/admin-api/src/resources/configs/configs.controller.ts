import { listResponseOf, IfMatch, type ListResponse } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  CreateConfigDto,
  CreatedConfigDto,
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

  @Route.post('', 'configs.create', CreatedConfigDto)
  create(@Caller() caller: Principal, @Body() body: CreateConfigDto): Promise<CreatedConfigDto> {
    return this.configs.create(caller, body);
  }

  /** Writes nothing and calls no provider, so readers of configs may call it. */
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
  get(@Caller() caller: Principal, @Param('config') config: string): Promise<ConfigResponse> {
    return this.configs.get(caller, config);
  }

  @Route.put(':config', 'configs.update', UpdatedConfigDto)
  update(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Body() body: UpdateConfigDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedConfigDto> {
    return this.configs.update(caller, config, body, ifMatch);
  }

  @Route.delete(':config', 'configs.delete')
  remove(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.configs.remove(caller, config, ifMatch);
  }

  @Route.get(':config/versions', 'configs.read', listResponseOf(ConfigResponse))
  versions(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Query() query: ListConfigsQuery,
  ): Promise<ListResponse<ConfigResponse>> {
    return this.configs.versions(caller, config, query);
  }

  @Route.get(':config/versions/:version', 'configs.read', ConfigResponse)
  version(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Param('version') version: string,
  ): Promise<ConfigResponse> {
    return this.configs.version(caller, config, version);
  }
}

/** The older paths of a single config. */
@ControlRoutes('config')
@ApiQuery(WORKSPACE_ID)
export class ConfigLookupController {
  constructor(private readonly configs: ConfigsService) {}

  @Route.get('name/:name', 'configs.read', ConfigResponse)
  byName(@Caller() caller: Principal, @Param('name') name: string): Promise<ConfigResponse> {
    return this.configs.getByName(caller, name);
  }

  @Route.get('slug/:slug', 'configs.read', ConfigResponse)
  bySlug(@Caller() caller: Principal, @Param('slug') slug: string): Promise<ConfigResponse> {
    return this.configs.get(caller, slug);
  }
}
