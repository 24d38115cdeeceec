import { EmptyResponse } from '@gw/web';
import { Body, Param, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { SessionOnly } from '../auth/access';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import {
  PasskeyOptionsResponse,
  ProofFields,
  RecoveryCodesResponse,
  RegisterPasskeyDto,
  RenameFactorDto,
} from './mfa.dto';
import { PasskeysService } from './passkeys.service';

@ControlRoutes('auth/mfa')
export class PasskeysController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Post('passkeys/options')
  @SessionOnly()
  @ApiOkResponse({ type: PasskeyOptionsResponse })
  begin(@Caller() caller: Principal, @Body() body: ProofFields): Promise<PasskeyOptionsResponse> {
    return this.passkeys.begin(caller, body);
  }

  @Post('passkeys')
  @SessionOnly()
  @ApiOkResponse({ type: RecoveryCodesResponse })
  register(@Caller() caller: Principal, @Body() body: RegisterPasskeyDto): Promise<RecoveryCodesResponse> {
    return this.passkeys.register(caller, body);
  }

  @Post('factors/:factorId/rename')
  @SessionOnly()
  @ApiOkResponse({ type: EmptyResponse })
  rename(
    @Caller() caller: Principal,
    @Param('factorId') factorId: string,
    @Body() body: RenameFactorDto,
  ): Promise<object> {
    return this.passkeys.rename(caller, factorId, body);
  }
}
