import { EmptyResponse } from '@gw/web';
import { Body, Get, Param, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { SessionOnly } from '../auth/access';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import {
  ConfirmTotpDto,
  CreateTotpDto,
  MfaResponse,
  ProofFields,
  RecoveryCodesResponse,
  TotpEnrolmentResponse,
} from './mfa.dto';
import { SecondFactorsService } from './second-factors.service';

/** Routes for the second factors of the logged-in user. */
@ControlRoutes('auth/mfa')
export class MfaController {
  constructor(private readonly factors: SecondFactorsService) {}

  @Get()
  @SessionOnly()
  @ApiOkResponse({ type: MfaResponse })
  list(@Caller() caller: Principal): Promise<MfaResponse> {
    return this.factors.list(caller);
  }

  @Post('totp')
  @SessionOnly()
  @ApiOkResponse({ type: TotpEnrolmentResponse })
  enrol(@Caller() caller: Principal, @Body() body: CreateTotpDto): Promise<TotpEnrolmentResponse> {
    return this.factors.enrol(caller, body);
  }

  @Post('totp/confirm')
  @SessionOnly()
  @ApiOkResponse({ type: RecoveryCodesResponse })
  confirm(@Caller() caller: Principal, @Body() body: ConfirmTotpDto): Promise<RecoveryCodesResponse> {
    return this.factors.confirm(caller, body);
  }

  @Post('recovery-codes')
  @SessionOnly()
  @ApiOkResponse({ type: RecoveryCodesResponse })
  renewCodes(@Caller() caller: Principal, @Body() body: ProofFields): Promise<RecoveryCodesResponse> {
    return this.factors.renewCodes(caller, body);
  }

  @Post('factors/:factorId/remove')
  @SessionOnly()
  @ApiOkResponse({ type: EmptyResponse })
  remove(
    @Caller() caller: Principal,
    @Param('factorId') factorId: string,
    @Body() body: ProofFields,
  ): Promise<object> {
    return this.factors.remove(caller, factorId, body);
  }
}
