import { EmptyResponse } from '@gw/web';
import { Body, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Route } from '../../platform/resource/route';
import { Public, SessionOnly } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { factsOf } from '../../platform/auth/principals.service';
import { ControlRoutes } from '../../platform/control-routes';
import {
  ChangePasswordDto,
  ForgotPasswordDto,
  PasswordResetResponse,
  ResetPasswordDto,
} from './accounts.dto';
import { PasswordsService } from './passwords.service';

@ControlRoutes('auth/password')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Post()
  @SessionOnly()
  @ApiOkResponse({ type: EmptyResponse })
  change(@Caller() caller: Principal, @Body() body: ChangePasswordDto): Promise<object> {
    return this.passwords.change(caller, body);
  }

  @Post('forgot')
  @Public('The response is the same for every address. A user gets at most one mail in two minutes.')
  @ApiOkResponse({ type: EmptyResponse })
  async forgot(@Body() body: ForgotPasswordDto): Promise<object> {
    await this.passwords.forgot(body.email);
    return {};
  }

  @Post('reset')
  @Public('The token in the body is the credential. It works once.')
  @ApiOkResponse({ type: EmptyResponse })
  reset(@Body() body: ResetPasswordDto, @Req() request: FastifyRequest): Promise<object> {
    return this.passwords.reset(body, factsOf(request));
  }
}

@ControlRoutes('admin/users/:userId/password-reset', 'users/:userId/password-reset')
export class PasswordResetsController {
  constructor(private readonly passwords: PasswordsService) {}

  @Route.post('', 'organisation_users.update', PasswordResetResponse)
  create(@Caller() caller: Principal, @Param('userId') userId: string): Promise<PasswordResetResponse> {
    return this.passwords.linkFor(caller, userId);
  }
}
