import { documentKey, type DocumentKey, type OrganisationDocument } from '@gw/contracts';
import { DocumentLoader } from './document-loader';
import { parseEvent } from './event-lines';
import type { FoundDocument, WantedDocument } from './ports';
import { ReadModelUnavailable } from './unavailable';

const key = documentKey.organisation('a');
const organisation = (version: string): OrganisationDocument => ({
  kind: 'organisation',
  version,
  id: 'a',
  name: 'a',
  status: 'active',
  blockInlineConfig: false,
  logBodies: true,
});

/** A source whose reads wait until the test lets them respond with what they found at their start. */
class GatedSource {
  document = organisation('1');
  private readonly open: (() => void)[] = [];

  read(wanted: readonly WantedDocument[]): Promise<ReadonlyMap<DocumentKey, FoundDocument>> {
    const { document } = this;
    const found = new Map(wanted.map((each) => [each.key, { document, sequence: 1 }]));
    return new Promise((resolve) => {
      this.open.push(() => {
        resolve(found);
      });
    });
  }

  respond(): void {
    for (const open of this.open.splice(0)) open();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('DocumentLoader', () => {
  const loaderOf = (source: GatedSource, pendingMax = 10): DocumentLoader =>
    new DocumentLoader(source, {
      ...{ concurrency: 4, pendingMax, retryAfterMs: 1_000 },
      ...{ now: () => 0, epoch: () => 0, deliver: () => undefined },
    });

  it('reads a document again for a caller that knows of a change since the read in flight', async () => {
    const source = new GatedSource();
    const loader = loaderOf(source);
    const before = loader.load(key, 0);
    await turn();
    source.document = organisation('2');
    const after = loader.loadAgain(key);
    source.respond();
    expect(await before).toMatchObject({ version: '1' });
    await turn();
    await turn();
    source.respond();
    expect(await after).toMatchObject({ version: '2' });
  });

  it('reads changed documents also while its queue is full of unknown keys', async () => {
    const source = new GatedSource();
    const loader = loaderOf(source, 2);
    const unknown = ['1', '2'].map((id) => loader.load(documentKey.organisation(id), 0));
    await expect(loader.load(documentKey.organisation('3'), 0)).rejects.toBeInstanceOf(ReadModelUnavailable);
    const changed = loader.load(key, 1, true);
    await turn();
    source.respond();
    expect(await changed).toMatchObject({ version: '1' });
    await Promise.all(unknown);
  });
});

describe('parseEvent', () => {
  it('refuses a change without the sequence before it, because it would hide a lost event', () => {
    const change = { type: 'change', sequence: 5, previous: 4, changed: [], removed: [] };
    expect(parseEvent(JSON.stringify(change))).toEqual(change);
    for (const previous of [undefined, null, '4', 1.5])
      expect(parseEvent(JSON.stringify({ ...change, previous }))).toBeNull();
  });
});
