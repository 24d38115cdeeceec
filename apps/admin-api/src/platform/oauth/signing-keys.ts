import { addSigningKey, SigningKeyEntity, signingKeyBinding } from '@gw/entities';
import { unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';

/** A private key as RFC 7517 writes it. */
export type PrivateJwk = Readonly<Record<string, string>>;

export interface SigningKeySet {
  /** The one that signs first, then the one that will, then earlier ones. */
  readonly keys: readonly PrivateJwk[];
  readonly version: string;
}

/** The keys that the installation signs with. The worker rotates them. */
@Injectable()
export class SigningKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
  ) {}

  /** Reads the keys. Makes the first one of an installation. */
  async read(): Promise<SigningKeySet> {
    const rows = await this.rows();
    if (!rows.some(({ state }) => state === 'current')) {
      const first = { state: 'current', notBefore: new Date() } as const;
      await addSigningKey(this.dataSource.manager, this.secrets.sealingKeyring, first);
      return this.read();
    }
    const order = ['current', 'next', 'previous'];
    const sorted = rows.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
    return { keys: sorted.map((row) => this.open(row)), version: versionOf(rows) };
  }

  /** Changes whenever the keys do. */
  async version(): Promise<string> {
    return versionOf(await this.rows());
  }

  private open({ kid, sealedPrivate }: SigningKeyEntity): PrivateJwk {
    const opened = unseal(this.secrets.sealingKeyring, sealedPrivate, signingKeyBinding(kid));
    return JSON.parse(opened.toString('utf8')) as PrivateJwk;
  }

  private rows(): Promise<SigningKeyEntity[]> {
    return this.dataSource.manager.find(SigningKeyEntity, { order: { createdAt: 'DESC', kid: 'DESC' } });
  }
}

const versionOf = (rows: readonly SigningKeyEntity[]): string =>
  rows.map(({ kid, state }) => `${kid} ${state}`).join();
