import { IfMatch } from '@gw/web';
import { Body, Get, Put, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ExclusionsAnswer, ExclusionsQuery, UpdateExclusionsDto } from './workspace-exclusions.dto';
import { WorkspaceExclusionsService } from './workspace-exclusions.service';

@ControlRoutes('workspace-exclusions')
export class WorkspaceExclusionsController {
  constructor(private readonly exclusions: WorkspaceExclusionsService) {}

  @Get('input-guardrails')
  @Requires('organisation_exclusions.list')
  @ApiOkResponse({ type: ExclusionsAnswer })
  inputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsAnswer> {
    return this.exclusions.get(caller, 'input', query);
  }

  @Put('input-guardrails')
  @Requires('organisation_exclusions.update')
  @ApiOkResponse({ type: ExclusionsAnswer })
  updateInputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsAnswer> {
    return this.exclusions.update(caller, 'input', body, ifMatch);
  }

  @Get('output-guardrails')
  @Requires('organisation_exclusions.list')
  @ApiOkResponse({ type: ExclusionsAnswer })
  outputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsAnswer> {
    return this.exclusions.get(caller, 'output', query);
  }

  @Put('output-guardrails')
  @Requires('organisation_exclusions.update')
  @ApiOkResponse({ type: ExclusionsAnswer })
  updateOutputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsAnswer> {
    return this.exclusions.update(caller, 'output', body, ifMatch);
  }
}
