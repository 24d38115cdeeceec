import { SsoConnectionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import { Public } from '../auth/access';
import { idOf } from '../auth/tenancy';
import { openSecrets } from './sso-secrets';

/** Members of public keys (RFC 7518) and what RFC 7517 says of any key; all others of a private key stay here. */
const PUBLIC_MEMBERS = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const;

/** The public keys with which identity providers check our `private_key_jwt` assertions. */
@ApiExcludeController()
@Controller('.well-known/sso')
export class SsoKeysController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  @Get(':connectionId/jwks.json')
  @Public('Public keys are public.')
  @Header('cache-control', 'public, max-age=300')
  async keys(@Param('connectionId') id: string): Promise<{ readonly keys: readonly object[] }> {
    const row = await this.dataSource.manager.findOneBy(SsoConnectionEntity, { id: idOf(id) });
    if (row?.tokenEndpointAuthMethod !== 'private_key_jwt') throw new GatewayError('not_found');
    const { keys } = openSecrets(this.secrets.sealingKeyring, row);
    return {
      keys: keys.map((key) =>
        Object.fromEntries(
          PUBLIC_MEMBERS.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
        ),
      ),
    };
  }
}
