import { EmptyAnswer, listAnswerOf, IfMatch, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
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
import { ConfigAnswer, ConfigItemAnswer } from './configs.view';
import { SimulateConfigDto } from './simulation.dto';
import { SimulationService } from './simulation.service';
import { SimulationAnswer } from './simulation.view';

@ControlRoutes('configs')
@ApiQuery(WORKSPACE_ID)
export class ConfigsController {
  constructor(
    private readonly configs: ConfigsService,
    private readonly simulation: SimulationService,
  ) {}

  @Post()
  @Requires('configs.create')
  @ApiOkResponse({ type: CreatedConfigDto })
  create(@Caller() caller: Principal, @Body() body: CreateConfigDto): Promise<CreatedConfigDto> {
    return this.configs.create(caller, body);
  }

  /** Writes nothing and calls no provider, so readers of configs may call it. */
  @Post('simulate')
  @Requires('configs.read')
  @ApiOkResponse({ type: SimulationAnswer })
  simulate(@Caller() caller: Principal, @Body() body: SimulateConfigDto): Promise<SimulationAnswer> {
    return this.simulation.run(caller, body);
  }

  @Get()
  @Requires('configs.list')
  @ApiOkResponse({ type: listAnswerOf(ConfigItemAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListConfigsQuery): Promise<ListAnswer<ConfigItemAnswer>> {
    return this.configs.list(caller, query);
  }

  @Get(':config')
  @Requires('configs.read')
  @ApiOkResponse({ type: ConfigAnswer })
  get(@Caller() caller: Principal, @Param('config') config: string): Promise<ConfigAnswer> {
    return this.configs.get(caller, config);
  }

  @Put(':config')
  @Requires('configs.update')
  @ApiOkResponse({ type: UpdatedConfigDto })
  update(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Body() body: UpdateConfigDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedConfigDto> {
    return this.configs.update(caller, config, body, ifMatch);
  }

  @Delete(':config')
  @Requires('configs.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.configs.remove(caller, config, ifMatch);
  }

  @Get(':config/versions')
  @Requires('configs.read')
  @ApiOkResponse({ type: listAnswerOf(ConfigAnswer) })
  versions(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Query() query: ListConfigsQuery,
  ): Promise<ListAnswer<ConfigAnswer>> {
    return this.configs.versions(caller, config, query);
  }

  @Get(':config/versions/:version')
  @Requires('configs.read')
  @ApiOkResponse({ type: ConfigAnswer })
  version(
    @Caller() caller: Principal,
    @Param('config') config: string,
    @Param('version') version: string,
  ): Promise<ConfigAnswer> {
    return this.configs.version(caller, config, version);
  }
}

/** The older paths of a single config. */
@ControlRoutes('config')
@ApiQuery(WORKSPACE_ID)
export class ConfigLookupController {
  constructor(private readonly configs: ConfigsService) {}

  @Get('name/:name')
  @Requires('configs.read')
  @ApiOkResponse({ type: ConfigAnswer })
  byName(@Caller() caller: Principal, @Param('name') name: string): Promise<ConfigAnswer> {
    return this.configs.getByName(caller, name);
  }

  @Get('slug/:slug')
  @Requires('configs.read')
  @ApiOkResponse({ type: ConfigAnswer })
  bySlug(@Caller() caller: Principal, @Param('slug') slug: string): Promise<ConfigAnswer> {
    return this.configs.get(caller, slug);
  }
}
