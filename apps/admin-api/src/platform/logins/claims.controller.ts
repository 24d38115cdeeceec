import { INTERNAL, type ClaimResponse } from '@gw/contracts';
import { TextField } from '@gw/web';
import { Body, Controller, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Public, ServiceOnly } from '../auth/access';
import type { TokenResponse } from '../auth/auth.dto';
import { factsOf } from '../auth/principals.service';
import { ControlRoutes } from '../control-routes';
import { MfaChallengeResponse } from '../mfa/mfa.dto';
import { Claims } from './claims.service';
import { OpensSession } from './opens-session';

export class ClaimDto {
  @TextField({ max: 128, description: 'The part of the link after #claim=.', example: '9fK2…' })
  token!: string;
}

@ControlRoutes('auth/claim')
export class ClaimController {
  constructor(private readonly claims: Claims) {}

  /** Logs in the owner with the link that the launcher has printed. */
  @Post()
  @Public('The token is the credential. It works once, for 15 minutes; wrong ones are throttled.')
  @OpensSession(MfaChallengeResponse)
  create(
    @Body() { token }: ClaimDto,
    @Req() request: FastifyRequest,
  ): Promise<TokenResponse | MfaChallengeResponse> {
    return this.claims.use(token, factsOf(request));
  }
}

/** Creates links for the launcher. */
@ApiExcludeController()
@Controller()
export class ClaimLinksController {
  constructor(private readonly claims: Claims) {}

  @Post(INTERNAL.claims)
  @ServiceOnly()
  make(): Promise<ClaimResponse> {
    return this.claims.make();
  }
}
