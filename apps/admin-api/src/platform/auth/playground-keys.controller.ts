import { Body, Post } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import { SessionOnly } from './access';
import { PlaygroundKeyDto, PlaygroundKeyResponse } from './playground-keys.dto';
import { PlaygroundKeys } from './playground-keys.service';

@ControlRoutes('auth/playground-key')
export class PlaygroundKeysController {
  constructor(private readonly keys: PlaygroundKeys) {}

  /**
   * Creates a key for gateways with the caller's own rights in a workspace, valid for 15 minutes.
   */
  @Post()
  @SessionOnly()
  @ApiOkResponse({ type: PlaygroundKeyResponse })
  create(@Caller() caller: Principal, @Body() _body: PlaygroundKeyDto): Promise<PlaygroundKeyResponse> {
    return this.keys.make(caller);
  }
}
