import { IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Param, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
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

  @Route.post('', 'policies.create', CreatedAlertWebhookAnswer)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateAlertWebhookDto,
  ): Promise<CreatedAlertWebhookAnswer> {
    return this.webhooks.create(caller, body);
  }

  @Route.get('', 'policies.list', listAnswerOf(AlertWebhookAnswer))
  list(
    @Caller() caller: Principal,
    @Query() query: ListAlertWebhooksQuery,
  ): Promise<ListAnswer<AlertWebhookAnswer>> {
    return this.webhooks.list(caller, query);
  }

  @Route.get(':webhook', 'policies.read', AlertWebhookAnswer)
  get(@Caller() caller: Principal, @Param('webhook') webhook: string): Promise<AlertWebhookAnswer> {
    return this.webhooks.get(caller, webhook);
  }

  @Route.put(':webhook', 'policies.update', UpdatedAlertWebhookAnswer)
  update(
    @Caller() caller: Principal,
    @Param('webhook') webhook: string,
    @Body() body: UpdateAlertWebhookDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<UpdatedAlertWebhookAnswer> {
    return this.webhooks.update(caller, webhook, body, ifMatch);
  }

  @Route.delete(':webhook', 'policies.delete')
  remove(
    @Caller() caller: Principal,
    @Param('webhook') webhook: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.webhooks.remove(caller, webhook, ifMatch);
  }
}
