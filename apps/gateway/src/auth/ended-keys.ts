import { documentKey, type DocumentKey, type ReadModelDocument } from '@gw/contracts';
import type { Documents } from './documents';

/** Owner of a key that may not be used. */
export interface RefusedKey {
  readonly id: string;
  readonly organisationId: string;
}

/**
 * Maximum number of refused keys whose owner is looked up in one second, so that a scan of random
 * keys adds little load to the control plane.
 */
const LOOKUPS_PER_SECOND = 50;

/** Finds the owner of keys that are no longer valid. */
export class EndedKeys {
  private second = 0;
  private lookups = 0;

  constructor(
    private readonly documents: Documents,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Returns the owner of a key; null when it has none or the look-up is not possible now. The key
   * is refused in either case. `hashes` are all hashes under which the key may be stored.
   */
  async ownerOf(hashes: readonly string[]): Promise<RefusedKey | null> {
    for (const hash of hashes) {
      const document = await this.read(documentKey.endedApiKey(hash));
      if (document?.kind === 'ended_api_key') return document;
    }
    return null;
  }

  private async read(key: DocumentKey): Promise<ReadModelDocument | null> {
    const known = this.documents.get(key);
    if (known !== undefined) return known;
    if (!this.mayLookUp()) return null;
    try {
      return await this.documents.load(key);
    } catch {
      // The control plane is unavailable: the request is counted, and its log record has no owner.
      return null;
    }
  }

  private mayLookUp(): boolean {
    const second = Math.floor(this.now() / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.lookups = 0;
    }
    this.lookups += 1;
    return this.lookups <= LOOKUPS_PER_SECOND;
  }
}
