import { Body, Post, Req } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public } from '../auth/access';
import { TokenResponse } from '../auth/auth.dto';
import { factsOf } from '../auth/principals.service';
import { OpensSession } from './opens-session';
import { ControlRoutes } from '../control-routes';
import { PasskeyLoginDto, PasskeyOptionsDto, PasskeyOptionsResponse } from '../mfa/mfa.dto';
import { PasskeyLogins } from './passkey-logins.service';

@ControlRoutes('auth/login/passkey')
export class PasskeyLoginController {
  constructor(private readonly logins: PasskeyLogins) {}

  @Post('options')
  @Public('The response is a fresh challenge; it names passkeys only to the holder of a login challenge.')
  @ApiOkResponse({ type: PasskeyOptionsResponse })
  begin(@Body() body: PasskeyOptionsDto): Promise<PasskeyOptionsResponse> {
    return this.logins.begin(body);
  }

  @Post()
  @Public('The signature of the passkey is the credential. Its challenge works once.')
  @OpensSession()
  login(@Body() body: PasskeyLoginDto, @Req() request: FastifyRequest): Promise<TokenResponse> {
    return this.logins.login(body, factsOf(request));
  }
}
