import {
  documentKey,
  EVERY_DOCUMENT,
  type ControlPlaneEvent,
  type DocumentKey,
  type OrganisationDocument,
} from '@gw/contracts';
import { eventually } from '@gw/testing';
import type { ReadModelLimits } from './bounds';
import type { EventListener, EventSource, FoundDocument, Subscription, WantedDocument } from './ports';
import { ReadModel } from './read-model';
import { ReadModelUnavailable } from './unavailable';

const organisation = (id: string, version = '1'): OrganisationDocument => ({
  kind: 'organisation',
  version,
  id,
  name: `Organisation ${id}`,
  status: 'active',
  blockInlineConfig: false,
  logBodies: true,
});

/** A scripted control plane: rows, a sequence, and a switch that turns it off. */
class Script implements EventSource {
  readonly name = 'script';
  readonly rows = new Map<DocumentKey, OrganisationDocument>();
  readonly reads: (readonly WantedDocument[])[] = [];
  sequence = 10;
  reconnects = 0;
  isDown = false;
  /** While set, responses wait for it. */
  gate: Promise<void> | null = null;
  listener!: EventListener;

  async read(wanted: readonly WantedDocument[]): Promise<Map<DocumentKey, FoundDocument>> {
    this.reads.push(wanted);
    if (this.isDown) throw new Error('down');
    const { sequence } = this;
    const response = new Map(
      wanted.map(({ key }) => [key, { document: this.rows.get(key) ?? null, sequence }]),
    );
    await this.gate;
    return response;
  }

  subscribe(_after: () => number | null, listener: EventListener): Subscription {
    this.listener = listener;
    return {
      reconnect: () => {
        this.reconnects += 1;
      },
      close: () => undefined,
    };
  }

  send(event: ControlPlaneEvent): void {
    this.listener.onEvent(event);
  }

  heartbeat(): void {
    this.send({ type: 'heartbeat', sequence: this.sequence });
  }

  commit(change: { changed?: DocumentKey[]; removed?: DocumentKey[] }, isDelivered = true): void {
    const previous = this.sequence;
    this.sequence += 1;
    const { changed = [], removed = [] } = change;
    for (const key of removed) this.rows.delete(key);
    if (isDelivered) this.send({ type: 'change', sequence: this.sequence, previous, changed, removed });
  }
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 4; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('ReadModel', () => {
  let now = 0;
  let script: Script;
  let model: ReadModel;
  const key = documentKey.organisation('a');

  async function begin(limits: Partial<ReadModelLimits> = {}): Promise<void> {
    now = 1_000_000;
    script = new Script();
    script.rows.set(key, organisation('a'));
    model = new ReadModel({
      documents: script,
      events: script,
      now: () => now,
      limits: { verifyTimeoutMs: 20_000, loadTimeoutMs: 20_000, ...limits },
    });
    await model.start();
    script.heartbeat();
  }

  beforeEach(() => begin());
  afterEach(() => model.stop());

  it('serves a loaded document from memory, without another read', async () => {
    expect(model.get(key)).toBeUndefined();
    expect(await model.load(key)).toEqual(organisation('a'));
    now += 3_600_000;
    expect(model.get(key)).toEqual(organisation('a'));
    expect(script.reads).toHaveLength(1);
  });

  it('reads known and absent documents again with reload, before an event arrives', async () => {
    const late = documentKey.organisation('late');
    await Promise.all([model.load(key), model.load(late)]);
    const newer = { ...organisation('a'), version: 'newer' };
    script.rows.set(key, newer);
    script.rows.set(late, organisation('late'));
    expect([await model.load(key), await model.load(late)]).toEqual([organisation('a'), null]);
    expect([await model.reload(key), await model.reload(late)]).toEqual([newer, organisation('late')]);
    expect([model.get(key), model.get(late)]).toEqual([newer, organisation('late')]);
    expect(script.reads.at(-1)).toEqual([{ key: late, atLeast: Infinity }]);
    script.isDown = true;
    await expect(model.reload(key)).rejects.toThrow();
    expect(model.get(key)).toEqual(newer);
  });

  it('reads a key once for all concurrent callers, and keys of one tick together', async () => {
    const other = documentKey.organisation('b');
    await Promise.all([model.load(key), model.load(key), model.load(other)]);
    expect(script.reads.map((wanted) => wanted.map((one) => one.key))).toEqual([[key, other]]);
  });

  it('remembers for 30 s that a key has no document, then reads again', async () => {
    const unknown = documentKey.organisation('nobody');
    expect(await model.load(unknown)).toBeNull();
    now += 29_000;
    expect(model.get(unknown)).toBeNull();
    now += 2_000;
    expect(model.get(unknown)).toBeUndefined();
  });

  it('loads a new document as soon as an event reports it, although it was absent before', async () => {
    const late = documentKey.organisation('late');
    await model.load(late);
    script.rows.set(late, organisation('late'));
    script.commit({ changed: [late] });
    expect(await model.load(late)).toEqual(organisation('late'));
  });

  it('keeps documents during a scan of random keys, which evicts only absent keys', async () => {
    await model.stop();
    await begin({ absentMax: 100, documentsMax: 10 });
    await model.load(key);
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => model.load(`api_key:${String(i)}`)));
    expect(model.get(key)).toEqual(organisation('a'));
    expect(model.state()).toMatchObject({ entries: 1, absent: 100 });
  });

  it('reads at most 256 keys per read with four concurrent reads, however many keys are requested', async () => {
    let open: () => void = () => undefined;
    script.gate = new Promise((resolve) => (open = resolve));
    const loads = Array.from({ length: 5_000 }, (_, i) =>
      model.load(`api_key:${String(i)}`).catch(() => null),
    );
    await settled();
    expect(script.reads.map((wanted) => wanted.length)).toEqual([256, 256, 256, 256]);
    open();
    await Promise.all(loads);
    expect(script.reads).toHaveLength(Math.ceil(5_000 / 256));
  });

  it('refuses keys beyond its queue instead of letting it grow', async () => {
    await model.stop();
    await begin({ pendingMax: 3 });
    const loads = ['1', '2', '3', '4'].map((id) => model.load(documentKey.organisation(id)));
    await expect(loads[3]).rejects.toBeInstanceOf(ReadModelUnavailable);
    await expect(Promise.all(loads.slice(0, 3))).resolves.toEqual([null, null, null]);
  });

  it('refuses a removed document immediately, without a read [AUT-06]', async () => {
    await model.load(key);
    script.isDown = true;
    script.commit({ removed: [key] });
    expect(model.get(key)).toBeNull();
  });

  it('reads a changed document again without a request and serves the old one for at most 500 ms', async () => {
    await model.load(key);
    let open: () => void = () => undefined;
    script.gate = new Promise((resolve) => (open = resolve));
    script.rows.set(key, organisation('a', '2'));
    script.commit({ changed: [key] });
    expect(model.get(key)).toMatchObject({ version: '1' });
    now += 501;
    expect(model.get(key)).toBeUndefined();
    open();
    await settled();
    expect(model.get(key)).toMatchObject({ version: '2' });
    expect(script.reads[1]).toEqual([{ key, atLeast: 11 }]);
  });

  it('does not use a copy that was read before a change received meanwhile', async () => {
    let open: () => void = () => undefined;
    script.gate = new Promise((resolve) => (open = resolve));
    const loading = model.load(key);
    await settled();
    script.rows.delete(key);
    script.commit({ removed: [key] });
    open();
    expect(await loading).toBeNull();
    expect(model.get(key)).toBeNull();
  });

  it('verifies documents older than 5 s on use while events are lost', async () => {
    await model.load(key);
    script.listener.onLost();
    expect(model.get(key)).toBeDefined();
    script.rows.delete(key);
    script.commit({}, false);
    now += 5_001;
    expect(model.get(key)).toBeUndefined();
    expect(await model.load(key)).toBeNull();
    expect(script.reads[1]).toEqual([{ key, atLeast: Infinity }]);
  });

  it('treats the stream as lost when an event is missing or a heartbeat shows a gap, and catches up', async () => {
    await model.load(key);
    script.commit({ removed: [key] }, false);
    script.heartbeat();
    expect(model.state().verified).toBe(false);
    expect(script.reconnects).toBe(1);
    script.send({ type: 'change', sequence: 13, previous: 12, changed: [], removed: [] });
    expect(script.reconnects).toBe(2);
    script.send({ type: 'change', sequence: 11, previous: 10, changed: [], removed: [key] });
    script.heartbeat();
    expect(model.state()).toMatchObject({ verified: true, sequence: 11 });
    expect(model.get(key)).toBeNull();
  });

  it('reads again when it receives only heartbeats older than its state, as after a database restore', async () => {
    await model.stop();
    await begin({ silenceMaxMs: 60 });
    script.sequence = 3;
    script.heartbeat();
    expect(model.state()).toMatchObject({ verified: true, sequence: 10 });
    const heartbeats = setInterval(() => {
      now += 10;
      script.heartbeat();
    }, 5);
    await eventually(() => script.reconnects > 0);
    clearInterval(heartbeats);
    expect(model.state().verified).toBe(false);
  });

  it('does not verify a document again that the caught-up stream covers', async () => {
    await model.load(key);
    script.listener.onLost();
    now += 60_000;
    script.heartbeat();
    expect(model.get(key)).toEqual(organisation('a'));
  });

  it('verifies everything after a reset, although the stream is up to date again', async () => {
    await model.load(key);
    now += 10_000;
    script.sequence = 900;
    script.send({ type: 'reset', sequence: 900 });
    script.heartbeat();
    expect(model.state()).toMatchObject({ verified: true, sequence: 900 });
    expect(model.get(key)).toBeUndefined();
    const before = script.reads.length;
    await model.load(key);
    expect(script.reads).toHaveLength(before + 1);
    expect(model.get(key)).toEqual(organisation('a'));
  });

  it('verifies everything after a change of every document', async () => {
    await model.load(key);
    now += 10_000;
    script.sequence = 11;
    script.send({ type: 'change', sequence: 11, previous: 10, changed: [EVERY_DOCUMENT], removed: [] });
    script.heartbeat();
    expect(model.state()).toMatchObject({ verified: true, sequence: 11 });
    expect(model.get(key)).toBeUndefined();
    const before = script.reads.length;
    await model.load(key);
    expect(script.reads).toHaveLength(before + 1);
  });

  it('serves known documents without time limit while the source is unreachable, with one attempt after each pause', async () => {
    await model.load(key);
    script.isDown = true;
    script.listener.onLost();
    for (let hour = 0; hour < 48; hour += 1) {
      now += 3_600_000;
      expect(await model.load(key)).toEqual(organisation('a'));
      expect(await model.load(key)).toEqual(organisation('a'));
      expect(model.get(key)).toEqual(organisation('a'));
      // All attempts but the first are made in the background.
      await settled();
    }
    expect(script.reads).toHaveLength(1 + 48);
  });

  it('waits for a verification until its timeout, then serves the known document', async () => {
    await model.stop();
    await begin({ verifyTimeoutMs: 50 });
    await model.load(key);
    script.listener.onLost();
    script.gate = new Promise(() => undefined);
    now += 6_000;
    expect(await model.load(key)).toEqual(organisation('a'));
    expect(model.get(key)).toEqual(organisation('a'));
  });

  it('lets one verification wait for a hanging source, and no later one until it responds again', async () => {
    await model.stop();
    await begin({ verifyTimeoutMs: 50, loadTimeoutMs: 50 });
    await model.load(key);
    script.listener.onLost();
    let respond = (): void => undefined;
    script.gate = new Promise((resolve) => (respond = resolve));
    now += 6_000;
    await model.load(key);
    let waits = 0;
    for (let second = 0; second < 600; second += 1) {
      now += 1_000;
      if (model.get(key) === undefined) waits += 1;
    }
    expect(waits).toBe(0);
    script.rows.delete(key);
    script.gate = null;
    respond();
    await eventually(async () => {
      now += 6_000;
      return (await model.load(key)) === null;
    });
  });

  it('throws for an unknown key while the source is unreachable, without a read after the first failure', async () => {
    script.isDown = true;
    await expect(model.load(key)).rejects.toMatchObject({ type: 'unavailable' });
    await expect(model.load(key)).rejects.toBeInstanceOf(ReadModelUnavailable);
    expect(script.reads).toHaveLength(1);
    script.isDown = false;
    now += 1_001;
    expect(await model.load(key)).toEqual(organisation('a'));
  });

  it('gives up on an unknown key after its time when the source hangs', async () => {
    await model.stop();
    await begin({ loadTimeoutMs: 50 });
    script.gate = new Promise(() => undefined);
    await expect(model.load(key)).rejects.toBeInstanceOf(ReadModelUnavailable);
  });

  it('notifies listeners of each changed document, and of nothing else', async () => {
    const notified: [DocumentKey, string | null][] = [];
    model.onChange((changed, document) => notified.push([changed, document?.version ?? null]));
    await model.load(key);
    script.commit({ changed: [key] });
    await settled();
    script.rows.set(key, organisation('a', '2'));
    script.commit({ changed: [key] });
    await settled();
    script.commit({ removed: [key] });
    expect(notified).toEqual([
      [key, '1'],
      [key, '2'],
      [key, null],
    ]);
  });

  it('keeps the identity of an unchanged document that was read again', async () => {
    const first = await model.load(key);
    script.rows.set(key, organisation('a'));
    script.commit({ changed: [key] });
    await settled();
    expect(model.get(key)).toBe(first);
  });

  it('treats a key that is too long for a document as absent, without a read', async () => {
    expect(await model.load(`provider:${'x'.repeat(100_000)}`)).toBeNull();
    expect(script.reads).toHaveLength(0);
  });
});
