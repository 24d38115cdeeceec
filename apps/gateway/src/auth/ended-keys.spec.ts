import {
  documentKey,
  type DocumentKey,
  type EndedApiKeyDocument,
  type ReadModelDocument,
} from '@gw/contracts';
import { EndedKeys } from './ended-keys';

const ENDED: EndedApiKeyDocument = {
  ...{ kind: 'ended_api_key', version: '1', id: 'key-1', organisationId: 'organisation-1' },
};

/**
 * A control plane that holds documents and counts the requests for them; null simulates an outage.
 */
class ControlPlane {
  readonly loaded: DocumentKey[] = [];

  constructor(private readonly documents: ReadonlyMap<DocumentKey, ReadModelDocument> | null) {}

  get(): undefined {
    return undefined;
  }

  known(): readonly ReadModelDocument[] {
    return [];
  }

  load(key: DocumentKey): Promise<ReadModelDocument | null> {
    this.loaded.push(key);
    return this.documents === null
      ? Promise.reject(new Error('away'))
      : Promise.resolve(this.documents.get(key) ?? null);
  }
}

describe('EndedKeys', () => {
  const known = new Map([[documentKey.endedApiKey('old'), ENDED]]);

  it('names the owner of a key by any of the hashes that the key may be stored under', async () => {
    const keys = new EndedKeys(new ControlPlane(known));
    expect(await keys.ownerOf(['new', 'old'])).toBe(ENDED);
    expect(await keys.ownerOf(['new'])).toBeNull();
  });

  it('looks up at most 50 keys a second, so that a scan of random keys does not load the control plane', async () => {
    const controlPlane = new ControlPlane(known);
    let now = 1_000;
    const keys = new EndedKeys(controlPlane, () => now);
    for (let i = 0; i < 1_000; i += 1) expect(await keys.ownerOf([`random-${String(i)}`])).toBeNull();
    expect(controlPlane.loaded).toHaveLength(50);
    expect(await keys.ownerOf(['old'])).toBeNull();
    now = 2_000;
    expect(await keys.ownerOf(['old'])).toBe(ENDED);
  });

  it('returns no owner and does not throw while the control plane is unavailable', async () => {
    expect(await new EndedKeys(new ControlPlane(null)).ownerOf(['old'])).toBeNull();
  });
});
