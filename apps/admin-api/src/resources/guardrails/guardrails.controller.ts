import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { DefaultGuardrailsService } from './default-guardrails.service';
import { scopesFor } from '../../platform/rows/guardrail-rows';
import {
  CreateGuardrailDto,
  GuardrailVersionsQuery,
  InvokeGuardrailDto,
  ListGuardrailsQuery,
  UpdateDefaultGuardrailsDto,
  UpdateGuardrailDto,
} from './guardrails.dto';
import { GuardrailsService } from './guardrails.service';
import {
  DefaultGuardrailsAnswer,
  GuardrailDetailAnswer,
  GuardrailListAnswer,
  InvocationAnswer,
  SavedGuardrailAnswer,
} from './guardrails.view';
import { InvocationService } from './invocation.service';

@ControlRoutes('guardrails')
@ApiQuery(WORKSPACE_ID)
export class GuardrailsController {
  constructor(
    private readonly guardrails: GuardrailsService,
    private readonly invocations: InvocationService,
  ) {}

  @Post()
  @Requires(...scopesFor('create'))
  @ApiOkResponse({ type: SavedGuardrailAnswer })
  create(@Caller() caller: Principal, @Body() body: CreateGuardrailDto): Promise<SavedGuardrailAnswer> {
    return this.guardrails.create(caller, body);
  }

  @Get()
  @Requires(...scopesFor('list'))
  @ApiOkResponse({ type: GuardrailListAnswer })
  list(@Caller() caller: Principal, @Query() query: ListGuardrailsQuery): Promise<GuardrailListAnswer> {
    return this.guardrails.list(caller, query);
  }

  @Get(':guardrail')
  @Requires(...scopesFor('read'))
  @ApiOkResponse({ type: GuardrailDetailAnswer })
  get(@Caller() caller: Principal, @Param('guardrail') guardrail: string): Promise<GuardrailDetailAnswer> {
    return this.guardrails.get(caller, guardrail);
  }

  @Put(':guardrail')
  @Requires(...scopesFor('update'))
  @ApiOkResponse({ type: SavedGuardrailAnswer })
  update(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: UpdateGuardrailDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<SavedGuardrailAnswer> {
    return this.guardrails.update(caller, guardrail, body, ifMatch);
  }

  @Delete(':guardrail')
  @Requires(...scopesFor('delete'))
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.guardrails.remove(caller, guardrail, ifMatch);
  }

  @Post(':guardrail/invoke')
  @Requires('guardrails.invoke')
  @ApiOkResponse({ type: InvocationAnswer })
  invoke(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: InvokeGuardrailDto,
  ): Promise<InvocationAnswer> {
    return this.invocations.run(caller, guardrail, body);
  }

  @Get(':guardrail/versions')
  @Requires(...scopesFor('read'))
  @ApiOkResponse({ type: listAnswerOf(GuardrailDetailAnswer) })
  versions(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Query() query: GuardrailVersionsQuery,
  ): Promise<ListAnswer<GuardrailDetailAnswer>> {
    return this.guardrails.versions(caller, guardrail, query);
  }

  @Get(':guardrail/versions/:version')
  @Requires(...scopesFor('read'))
  @ApiOkResponse({ type: GuardrailDetailAnswer })
  version(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Param('version') version: string,
  ): Promise<GuardrailDetailAnswer> {
    return this.guardrails.version(caller, guardrail, version);
  }
}

@ControlRoutes('admin/organisation/defaults')
export class DefaultGuardrailsController {
  constructor(private readonly defaults: DefaultGuardrailsService) {}

  @Get()
  @Requires('organisation_settings.read')
  @ApiOkResponse({ type: DefaultGuardrailsAnswer })
  get(@Caller() caller: Principal): Promise<DefaultGuardrailsAnswer> {
    return this.defaults.get(caller);
  }

  @Put()
  @Requires('organisation_settings.update')
  @ApiOkResponse({ type: DefaultGuardrailsAnswer })
  update(
    @Caller() caller: Principal,
    @Body() body: UpdateDefaultGuardrailsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<DefaultGuardrailsAnswer> {
    return this.defaults.update(caller, body, ifMatch);
  }
}
