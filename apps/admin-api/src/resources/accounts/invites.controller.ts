import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Public } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { factsOf } from '../../platform/auth/principals.service';
import { ControlRoutes } from '../../platform/control-routes';
import { InviteAcceptanceService } from './invite-acceptance.service';
import {
  AcceptedInvite,
  AcceptInviteDto,
  CreatedInvite,
  CreateInviteDto,
  InviteResponse,
  ListInvitesQuery,
  ResentInvite,
} from './invites.dto';
import { InvitesService } from './invites.service';

@ControlRoutes('admin/users/invites', 'users/invites')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Route.post('', 'organisation_users.create', CreatedInvite)
  create(@Caller() caller: Principal, @Body() body: CreateInviteDto): Promise<CreatedInvite> {
    return this.invites.create(caller, body);
  }

  @Route.get('', 'organisation_users.list', listResponseOf(InviteResponse))
  list(@Caller() caller: Principal, @Query() query: ListInvitesQuery): Promise<ListResponse<InviteResponse>> {
    return this.invites.list(caller, query);
  }

  @Route.get(':inviteId', 'organisation_users.read', InviteResponse)
  get(@ResourceParam('inviteId') at: ResourceReference): Promise<InviteResponse> {
    return this.invites.get(at);
  }

  @Route.delete(':inviteId', 'organisation_users.delete')
  cancel(@ResourceParam('inviteId') at: ResourceReference): Promise<object> {
    return this.invites.cancel(at);
  }

  @Route.post(':inviteId/resend', 'organisation_users.create', ResentInvite)
  resend(@Caller() caller: Principal, @Param('inviteId') inviteId: string): Promise<ResentInvite> {
    return this.invites.resend(caller, inviteId);
  }
}

@ControlRoutes('invites')
export class InviteAcceptanceController {
  constructor(private readonly acceptance: InviteAcceptanceService) {}

  @Post('accept')
  @Public('The token in the body is the credential. It works once.')
  @ApiOkResponse({ type: AcceptedInvite })
  accept(@Body() body: AcceptInviteDto, @Req() request: FastifyRequest): Promise<AcceptedInvite> {
    return this.acceptance.accept(body, factsOf(request));
  }
}
