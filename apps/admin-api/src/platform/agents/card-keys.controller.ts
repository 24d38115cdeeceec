import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../auth/access';
import { SigningKeys } from '../oauth/signing-keys';
import { CARD_KEYS_PATH } from './card-keys';

/** Serves the public keys with which clients verify the agent cards that gateways serve. */
@ApiExcludeController()
@Controller()
export class CardKeysController {
  constructor(private readonly keys: SigningKeys) {}

  @Get(CARD_KEYS_PATH)
  @Public('Public keys are public.')
  @Header('cache-control', 'public, max-age=300')
  async published(): Promise<{ readonly keys: readonly object[] }> {
    return { keys: await this.keys.published('cards') };
  }
}
