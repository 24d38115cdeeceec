import { SsoConnectionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import { Public } from '../auth/access';
import { idOf } from '../auth/tenancy';
import { readableSecrets } from './sso-secrets';

/**
 * Public members of keys (RFC 7518) and general members of any key (RFC 7517). All other members
 * may be private and are not served.
 */
const PUBLIC_MEMBERS = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const;

/**
 * Serves the public keys with which identity providers verify the `private_key_jwt` assertions of
 * the admin API.
 */
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
    const { keys } = readableSecrets(this.secrets.sealingKeyring, row);
    return {
      keys: keys.map((key) =>
        Object.fromEntries(
          PUBLIC_MEMBERS.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
        ),
      ),
    };
  }
}
