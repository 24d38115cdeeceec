import { IfMatch } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { Route } from '../../platform/resource/route';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { ExclusionsResponse, ExclusionsQuery, UpdateExclusionsDto } from './workspace-exclusions.dto';
import { WorkspaceExclusionsService } from './workspace-exclusions.service';

@ControlRoutes('workspace-exclusions')
export class WorkspaceExclusionsController {
  constructor(private readonly exclusions: WorkspaceExclusionsService) {}

  @Route.get('input-guardrails', 'organisation_exclusions.list', ExclusionsResponse)
  inputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsResponse> {
    return this.exclusions.get(caller, 'input', query);
  }

  @Route.put('input-guardrails', 'organisation_exclusions.update', ExclusionsResponse)
  updateInputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsResponse> {
    return this.exclusions.update(caller, 'input', body, ifMatch);
  }

  @Route.get('output-guardrails', 'organisation_exclusions.list', ExclusionsResponse)
  outputs(@Caller() caller: Principal, @Query() query: ExclusionsQuery): Promise<ExclusionsResponse> {
    return this.exclusions.get(caller, 'output', query);
  }

  @Route.put('output-guardrails', 'organisation_exclusions.update', ExclusionsResponse)
  updateOutputs(
    @Caller() caller: Principal,
    @Body() body: UpdateExclusionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<ExclusionsResponse> {
    return this.exclusions.update(caller, 'output', body, ifMatch);
  }
}
