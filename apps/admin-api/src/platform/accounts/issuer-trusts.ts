import { TrustEntity } from '@gw/entities';
import { BufferedClient } from '@gw/outbound';
import { fetchKeysBy, issuerDigest, KeySets } from '@gw/trusts';
import { describeFault } from '@gw/web';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, In, type FindOptionsWhere } from 'typeorm';
import { activeTrusts } from '../rows/trust-rules';

/** Maximum number of an issuer's trusts that are checked for one token. */
const TRUSTS_MAX = 200;
/** Maximum total size of the cached trusts, in characters of JSON. */
const CACHE_CHARACTERS_MAX = 32 * 1_048_576;

/**
 * Reads the trusts of issuers for the control plane. Caches rows by id and version, together with
 * the keys that they contain.
 */
@Injectable()
export class IssuerTrusts {
  readonly sets: KeySets;
  private readonly log = new Logger(IssuerTrusts.name);
  private readonly cache = new LRUCache<string, TrustEntity>({
    maxSize: CACHE_CHARACTERS_MAX,
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

  /**
   * Returns the active trusts of an issuer that match `where` and whose organisation is active,
   * oldest first.
   */
  async of(issuer: string, where: FindOptionsWhere<TrustEntity>): Promise<readonly TrustEntity[]> {
    const current = await activeTrusts(this.dataSource, { ...where, issuerDigest: issuerDigest(issuer) })
      .select('trust.id', 'id')
      .addSelect('trust.version', 'version')
      .limit(TRUSTS_MAX)
      .getRawMany<{ readonly id: string; readonly version: number }>();
    const names = current.map(nameOf);
    const missing = current.filter((trust) => !this.cache.has(nameOf(trust)));
    const read = missing.length === 0 ? [] : await this.read(missing.map(({ id }) => id));
    for (const row of read) this.cache.set(nameOf(row), row);
    const loaded = new Map(read.map((row) => [nameOf(row), row]));
    return names.flatMap((name) => loaded.get(name) ?? this.cache.get(name) ?? []);
  }

  private read(ids: readonly string[]): Promise<TrustEntity[]> {
    return this.dataSource.manager.findBy(TrustEntity, { id: In(ids) });
  }
}

const nameOf = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  `${id} ${String(version)}`;
