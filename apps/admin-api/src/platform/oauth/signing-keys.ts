import { SigningKeyEntity, signingKeyBinding } from '@gw/entities';
import { randomHex, seal, unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { generateKeyPairSync } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';

/** A private key as RFC 7517 writes it. */
export type PrivateJwk = Readonly<Record<string, string>>;

/** The keys that the installation signs with. */
@Injectable()
export class SigningKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** The private keys with the one that signs first, then the one that will, then earlier ones. Makes the first key of an installation. */
  async all(): Promise<readonly PrivateJwk[]> {
    const rows = await this.rows();
    if (!rows.some(({ state }) => state === 'current')) {
      await this.insert('current');
      return this.all();
    }
    const order = ['current', 'next', 'previous'];
    return rows
      .sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
      .map(({ kid, sealedPrivate }) => {
        const opened = unseal(this.secrets.sealingKeyring, sealedPrivate, signingKeyBinding(kid));
        return JSON.parse(opened.toString('utf8')) as PrivateJwk;
      });
  }

  /** Changes whenever the keys do. */
  async version(): Promise<string> {
    const rows = await this.rows();
    return rows.map(({ kid, state }) => `${kid} ${state}`).join();
  }

  private rows(): Promise<SigningKeyEntity[]> {
    return this.dataSource.manager.find(SigningKeyEntity, { order: { createdAt: 'DESC', kid: 'DESC' } });
  }

  /** Several processes may start at once: the first one's key stays. */
  private async insert(state: 'next' | 'current'): Promise<void> {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const kid = randomHex(16);
    const { d, ...open } = privateKey.export({ format: 'jwk' });
    const publicJwk = { ...open, kid, alg: 'ES256', use: 'sig' };
    const sealedPrivate = seal(
      this.secrets.sealingKeyring,
      JSON.stringify({ ...publicJwk, d }),
      signingKeyBinding(kid),
    );
    await this.dataSource.manager
      .createQueryBuilder()
      .insert()
      .into(SigningKeyEntity)
      .values({ kid, alg: 'ES256', publicJwk, sealedPrivate, state, notBefore: new Date() })
      .orIgnore()
      .execute();
  }
}
