import { documentKey, type DocumentKey, type ReadModelDocument } from '@gw/contracts';
import type { Documents } from './principals';

/** Whose a key is that may not be used. */
export interface RefusedKey {
  readonly id: string;
  readonly organisationId: string;
}

/** Refused keys of a second whose owner is looked up: a scan of random keys costs the control plane little more than the scan itself. */
const LOOKUPS_PER_SECOND = 50;

/** Knows whose a key was that works no more. */
export class EndedKeys {
  private second = 0;
  private lookups = 0;

  constructor(
    private readonly documents: Documents,
    private readonly now: () => number = Date.now,
  ) {}

  /** Null: it has no owner, or the owner can't be found now; the key is refused all the same. `hashes`: what the key may be stored by. */
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
      // The control plane is away: the request is counted, and its log row has no owner.
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
