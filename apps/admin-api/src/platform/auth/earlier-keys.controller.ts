import { INTERNAL } from '@gw/contracts';
import { TextField } from '@gw/web';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceOnly } from './access';
import { ApiKeyAuthenticator } from './api-key.authenticator';

class EarlierKeyDto {
  @TextField({ max: 1_024 }) key!: string;
}

/** Receives API keys that a gateway recognised by the hash under an earlier master key. */
@ApiExcludeController()
@Controller()
export class EarlierKeysController {
  constructor(private readonly keys: ApiKeyAuthenticator) {}

  /**
   * Rehashes the key. Authenticates the key itself, so that the gateway's report need not be
   * trusted.
   */
  @Post(INTERNAL.earlierKeys)
  @ServiceOnly()
  async seen(@Body() { key }: EarlierKeyDto): Promise<object> {
    await this.keys.authenticate(key);
    return {};
  }
}
