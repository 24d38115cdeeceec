import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import { sealTokens, type ConnectionTokens } from './connection-tokens';
import type { TokenEndpoint } from './token-endpoint';
import { UpstreamRevocations } from './upstream-revocations';

describe('revocations of the tokens of ended connections', () => {
  it('include those next to one whose tokens cannot be opened, also at a shutdown', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const secrets = new Secrets(randomBytes(32), 'service-token');
    const owner = { organisationId: 'o', serverId: 's', userId: 'u' };
    const sealedTokens = sealTokens(secrets.sealingKeyring, owner, {} as ConnectionTokens);
    const rows = [
      { ...owner, sealedTokens: 'v1.lost' },
      { ...owner, sealedTokens },
    ];
    const query = (): Promise<unknown> => Promise.resolve([rows, rows.length]);
    let revoked = 0;
    const revoke = async (): Promise<boolean> => {
      await new Promise((done) => setTimeout(done, 20));
      revoked += 1;
      return true;
    };
    const revocations = new UpstreamRevocations({ query } as unknown as DataSource, secrets, {
      revoke,
    } as unknown as TokenEndpoint);
    void revocations.run();
    await revocations.beforeApplicationShutdown();
    expect(revoked).toBe(1);
  });
});
