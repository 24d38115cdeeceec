import { addSigningKey, SigningKeyEntity, signingKeyBinding } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';

/** A private key as a JWK (RFC 7517). */
export type PrivateJwk = Readonly<Record<string, string>>;

export interface SigningKeySet {
  /** Private keys: first the current one, then the next one, then earlier ones. */
  readonly keys: readonly PrivateJwk[];
  readonly version: string;
}

/** Reads the signing keys of the installation. The worker rotates them. */
@Injectable()
export class SigningKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Returns the keys of a purpose. Creates the first key of an installation. */
  async read(purpose: SigningKeyEntity['purpose'] = 'tokens'): Promise<SigningKeySet> {
    const rows = await this.rows(purpose);
    if (!rows.some(({ state }) => state === 'current')) {
      const first = { state: 'current', notBefore: new Date(), purpose } as const;
      await addSigningKey(this.dataSource.manager, this.secrets.sealingKeyring, first);
      return this.read(purpose);
    }
    const order = ['current', 'next', 'previous'];
    const sorted = rows.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    return { keys: sorted.map((row) => this.open(row)), version: versionOf(rows) };
  }

  /** Returns the public keys of a purpose; empty before the first use. */
  async published(purpose: SigningKeyEntity['purpose']): Promise<readonly object[]> {
    return (await this.rows(purpose)).map(({ publicJwk }) => publicJwk);
  }

  /** Returns a version that changes whenever the keys for tokens do. */
  async version(): Promise<string> {
    return versionOf(await this.rows('tokens'));
  }

  private open({ kid, sealedPrivate }: SigningKeyEntity): PrivateJwk {
    const opened = unseal(this.secrets.sealingKeyring, sealedPrivate, signingKeyBinding(kid));
    return JSON.parse(opened.toString('utf8')) as PrivateJwk;
  }

  private rows(purpose: SigningKeyEntity['purpose']): Promise<SigningKeyEntity[]> {
    const order = { createdAt: 'DESC', kid: 'DESC' } as const;
    return this.dataSource.manager.find(SigningKeyEntity, { where: { purpose }, order });
  }
}

const versionOf = (rows: readonly SigningKeyEntity[]): string =>
  rows.map(({ kid, state }) => `${kid} ${state}`).join();
