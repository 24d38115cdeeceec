import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiQuery } from '@nestjs/swagger';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  AlertWebhookAnswer,
  CreateAlertWebhookDto,
  CreatedAlertWebhookAnswer,
  ListAlertWebhooksQuery,
  UpdateAlertWebhookDto,
  UpdatedAlertWebhookAnswer,
} from './alert-webhooks.dto';
import { AlertWebhooksService } from './alert-webhooks.service';

@ControlRoutes('alert-webhooks')
@ApiQuery(WORKSPACE_ID)
export class AlertWebhooksController {
  constructor(private readonly webhooks: AlertWebhooksService) {}

  @Post()
  @Requires('policies.create')
  @ApiOkResponse({ type: CreatedAlertWebhookAnswer })
  create(
    @Caller() caller: Principal,
    @Body() body: CreateAlertWebhookDto,
  ): Promise<CreatedAlertWebhookAnswer> {
    return this.webhooks.create(caller, body);
  }

  @Get()
  @Requires('policies.list')
  @ApiOkResponse({ type: listAnswerOf(AlertWebhookAnswer) })
  list(
    @Caller() caller: Principal,
    @Query() query: ListAlertWebhooksQuery,
  ): Promise<ListAnswer<AlertWebhookAnswer>> {
    return this.webhooks.list(caller, query);
  }

  @Get(':webhook')
  @Requires('policies.read')
  @ApiOkResponse({ type: AlertWebhookAnswer })
  get(@Caller() caller: Principal, @Param('webhook') webhook: string): Promise<AlertWebhookAnswer> {
    return this.webhooks.get(caller, webhook);
  }

  @Put(':webhook')
  @Requires('policies.update')
  @ApiOkResponse({ type: UpdatedAlertWebhookAnswer })
  update(
    @Caller() caller: Principal,
    @Param('webhook') webhook: string,
    @Body() body: UpdateAlertWebhookDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedAlertWebhookAnswer> {
    return this.webhooks.update(caller, webhook, body, ifMatch);
  }

  @Delete(':webhook')
  @Requires('policies.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  remove(
    @Caller() caller: Principal,
    @Param('webhook') webhook: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.webhooks.remove(caller, webhook, ifMatch);
  }
}
