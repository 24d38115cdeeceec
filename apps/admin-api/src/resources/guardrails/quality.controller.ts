import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { scopesFor } from '../../platform/rows/guardrail-rows';
import {
  GuardrailQualityResponse,
  QualityQuery,
  VerdictResponse,
  VerdictFeedbackResponse,
  VerdictFeedbackDto,
  VerdictsQuery,
} from './quality.dto';
import { QualityService } from './quality.service';

@ControlRoutes('guardrails')
export class GuardrailQualityController {
  constructor(private readonly qualities: QualityService) {}

  @Route.get(':guardrail/verdicts', scopesFor('read'), listResponseOf(VerdictResponse))
  verdicts(
    @ResourceParam('guardrail') at: ResourceReference,
    @Query() query: VerdictsQuery,
  ): Promise<ListResponse<VerdictResponse>> {
    return this.qualities.verdicts(at, query);
  }

  @Route.get(':guardrail/quality', scopesFor('read'), GuardrailQualityResponse)
  quality(
    @ResourceParam('guardrail') at: ResourceReference,
    @Query() query: QualityQuery,
  ): Promise<GuardrailQualityResponse> {
    return this.qualities.quality(at, query);
  }

  @Post(':guardrail/feedback')
  @Requires(...scopesFor('update'))
  @ApiQuery(WORKSPACE_ID)
  @ApiOkResponse({ type: VerdictFeedbackResponse })
  feedback(
    @Caller() caller: Principal,
    @Param('guardrail') guardrail: string,
    @Body() body: VerdictFeedbackDto,
  ): Promise<VerdictFeedbackResponse> {
    return this.qualities.mark(caller, guardrail, body);
  }
}
