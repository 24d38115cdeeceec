import { Body, Param, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiQuery, getSchemaPath } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { OneOrManyBody } from '../../platform/common/one-or-many';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { CreateFeedbackDto, UpdateFeedbackDto, WrittenFeedbackResponse } from './feedback.dto';
import { FeedbackService } from './feedback.service';

const ONE = { $ref: getSchemaPath(CreateFeedbackDto) };

@ControlRoutes('feedback')
@ApiQuery(WORKSPACE_ID)
@ApiExtraModels(CreateFeedbackDto)
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Post()
  @Requires('logs.write')
  @ApiBody({ schema: { oneOf: [ONE, { type: 'array', items: ONE, minItems: 1, maxItems: 1_000 }] } })
  @ApiOkResponse({ type: WrittenFeedbackResponse })
  create(@Caller() caller: Principal, @OneOrManyBody() body: unknown): Promise<WrittenFeedbackResponse> {
    return this.feedback.create(caller, body);
  }

  @Route.put(':feedbackId', 'logs.write', WrittenFeedbackResponse)
  update(
    @Caller() caller: Principal,
    @Param('feedbackId') id: string,
    @Body() body: UpdateFeedbackDto,
  ): Promise<WrittenFeedbackResponse> {
    return this.feedback.update(caller, id, body);
  }
}
