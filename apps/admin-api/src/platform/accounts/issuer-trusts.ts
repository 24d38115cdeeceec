import { TrustEntity } from '@gw/entities';
import { BufferedClient } from '@gw/outbound';
import { fetchKeysBy, issuerDigest, KeySets } from '@gw/trusts';
import { describeFault } from '@gw/web';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, In, type FindOptionsWhere } from 'typeorm';
import { activeTrusts } from '../rows/trust-rules';

/** Trusts of one issuer that are looked at for one token. */
const TRUSTS_MAX = 200;
/** Characters of the trusts that are kept. */
const KEPT_MAX = 32 * 1_048_576;

/** The trusts of issuers, as the control plane itself uses them. Rows are kept by their version, and with them the keys inside of them. */
@Injectable()
export class IssuerTrusts {
  readonly sets: KeySets;
  private readonly log = new Logger(IssuerTrusts.name);
  private readonly kept = new LRUCache<string, TrustEntity>({
    maxSize: KEPT_MAX,
    sizeCalculation: (row) => JSON.stringify(row).length,
  });

  constructor(
    private readonly dataSource: DataSource,
    client: BufferedClient,
  ) {
    this.sets = new KeySets({
      fetch: fetchKeysBy(client),
      warn: (url, error) => {
        this.log.warn({ url, ...describeFault(error) }, 'failed to read a key set');
      },
    });
  }

  /** The active trusts of an issuer that fit `where`, of active organisations, the oldest first. */
  async of(issuer: string, where: FindOptionsWhere<TrustEntity>): Promise<readonly TrustEntity[]> {
    const current = await activeTrusts(this.dataSource, { ...where, issuerDigest: issuerDigest(issuer) })
      .select('trust.id', 'id')
      .addSelect('trust.version', 'version')
      .limit(TRUSTS_MAX)
      .getRawMany<{ readonly id: string; readonly version: number }>();
    const names = current.map(nameOf);
    const missing = current.filter((each) => !this.kept.has(nameOf(each)));
    const read = missing.length === 0 ? [] : await this.read(missing.map(({ id }) => id));
    for (const row of read) this.kept.set(nameOf(row), row);
    const fresh = new Map(read.map((row) => [nameOf(row), row]));
    return names.flatMap((name) => fresh.get(name) ?? this.kept.get(name) ?? []);
  }

  private read(ids: readonly string[]): Promise<TrustEntity[]> {
    return this.dataSource.manager.findBy(TrustEntity, { id: In(ids) });
  }
}

const nameOf = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  `${id} ${String(version)}`;
