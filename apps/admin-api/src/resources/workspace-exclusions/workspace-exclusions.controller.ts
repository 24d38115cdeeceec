import { IfMatch } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ExclusionsAnswer, ExclusionsQuery, UpdateExclusionsDto } from './workspace-exclusions.dto';
import { WorkspaceExclusionsService } from './workspace-exclusions.service';

@ControlRoutes('workspace-exclusions')
export class WorkspaceExclusionsController {
  constructor(private readonly exclusions: WorkspaceExclusionsService) {}

  @Route.get('input-guardrails', 'organisation_exclusions.list', ExclusionsAnswer)
  inputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsAnswer> {
    return this.exclusions.get(caller, 'input', query);
  }

  @Route.put('input-guardrails', 'organisation_exclusions.update', ExclusionsAnswer)
  updateInputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsAnswer> {
    return this.exclusions.update(caller, 'input', body, ifMatch);
  }

  @Route.get('output-guardrails', 'organisation_exclusions.list', ExclusionsAnswer)
  outputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsAnswer> {
    return this.exclusions.get(caller, 'output', query);
  }

  @Route.put('output-guardrails', 'organisation_exclusions.update', ExclusionsAnswer)
  updateOutputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsAnswer> {
    return this.exclusions.update(caller, 'output', body, ifMatch);
  }
}
