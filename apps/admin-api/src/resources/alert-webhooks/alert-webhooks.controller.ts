import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { Route } from '../../platform/resource/route';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import {
  AlertWebhookResponse,
  CreateAlertWebhookDto,
  CreatedAlertWebhookResponse,
  ListAlertWebhooksQuery,
  UpdateAlertWebhookDto,
  UpdatedAlertWebhookResponse,
} from './alert-webhooks.dto';
import { AlertWebhooksService } from './alert-webhooks.service';

@ControlRoutes('alert-webhooks')
@ApiQuery(WORKSPACE_ID)
export class AlertWebhooksController {
  constructor(private readonly webhooks: AlertWebhooksService) {}

  @Route.post('', 'policies.create', CreatedAlertWebhookResponse)
  create(
    @Caller() caller: Principal,
    @Body() body: CreateAlertWebhookDto,
  ): Promise<CreatedAlertWebhookResponse> {
    return this.webhooks.create(caller, body);
  }

  @Route.get('', 'policies.list', listResponseOf(AlertWebhookResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListAlertWebhooksQuery,
  ): Promise<ListResponse<AlertWebhookResponse>> {
    return this.webhooks.list(caller, query);
  }

  @Route.get(':webhook', 'policies.read', AlertWebhookResponse)
  get(@ResourceParam('webhook') at: ResourceReference): Promise<AlertWebhookResponse> {
    return this.webhooks.get(at);
  }

  @Route.put(':webhook', 'policies.update', UpdatedAlertWebhookResponse)
  update(
    @ResourceParam('webhook') at: ResourceReference,
    @Body() body: UpdateAlertWebhookDto,
  ): Promise<UpdatedAlertWebhookResponse> {
    return this.webhooks.update(at, body);
  }

  @Route.delete(':webhook', 'policies.delete')
  remove(@ResourceParam('webhook') at: ResourceReference): Promise<object> {
    return this.webhooks.remove(at);
  }
}
