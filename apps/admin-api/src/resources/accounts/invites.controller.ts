import { EmptyAnswer, IfMatch, listAnswerOf, type ListAnswer } from '@gw/web';
import { Body, Delete, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public, Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { factsOf } from '../../platform/auth/principals.service';
import { ControlRoutes } from '../../platform/control-routes';
import { InviteAcceptanceService } from './invite-acceptance.service';
import {
  AcceptedInvite,
  AcceptInviteDto,
  CreatedInvite,
  CreateInviteDto,
  InviteAnswer,
  ListInvitesQuery,
  ResentInvite,
} from './invites.dto';
import { InvitesService } from './invites.service';

@ControlRoutes('admin/users/invites', 'users/invites')
export class InvitesController {
  constructor(private readonly invites: InvitesService) {}

  @Post()
  @Requires('organisation_users.create')
  @ApiOkResponse({ type: CreatedInvite })
  create(@Caller() caller: Principal, @Body() body: CreateInviteDto): Promise<CreatedInvite> {
    return this.invites.create(caller, body);
  }

  @Get()
  @Requires('organisation_users.list')
  @ApiOkResponse({ type: listAnswerOf(InviteAnswer) })
  list(@Caller() caller: Principal, @Query() query: ListInvitesQuery): Promise<ListAnswer<InviteAnswer>> {
    return this.invites.list(caller, query);
  }

  @Get(':inviteId')
  @Requires('organisation_users.read')
  @ApiOkResponse({ type: InviteAnswer })
  get(@Caller() caller: Principal, @Param('inviteId') inviteId: string): Promise<InviteAnswer> {
    return this.invites.get(caller, inviteId);
  }

  @Delete(':inviteId')
  @Requires('organisation_users.delete')
  @ApiOkResponse({ type: EmptyAnswer })
  cancel(
    @Caller() caller: Principal,
    @Param('inviteId') inviteId: string,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<object> {
    return this.invites.cancel(caller, inviteId, ifMatch);
  }

  @Post(':inviteId/resend')
  @Requires('organisation_users.create')
  @ApiOkResponse({ type: ResentInvite })
  resend(@Caller() caller: Principal, @Param('inviteId') inviteId: string): Promise<ResentInvite> {
    return this.invites.resend(caller, inviteId);
  }
}

@ControlRoutes('invites')
export class InviteAcceptanceController {
  constructor(private readonly acceptance: InviteAcceptanceService) {}

  @Post('accept')
  @Public('The token in the body is the credential, and works once.')
  @ApiOkResponse({ type: AcceptedInvite })
  accept(@Body() body: AcceptInviteDto, @Req() request: FastifyRequest): Promise<AcceptedInvite> {
    return this.acceptance.accept(body, factsOf(request));
  }
}
