import { documentKey } from '@gw/contracts';
import { Shares } from '@gw/kernel';
import { eventually } from '@gw/testing';
import { MapDocuments, ORGANISATION_ID, WORKSPACE_ID } from '../../spec-support/harness';
import { agentDocument } from '../spec-support/agent-server';
import { LocalPushStore } from './local-push-store';
import { LOCAL_POLL_LEASES, type PollLeases, type StoredPoll } from './poll-leases';
import { PushAgents } from './push-agents';
import type { DeliveryOutcome } from './push-delivery';
import { PushPollers } from './push-pollers';
import type { PushRecord } from './push-store';

const CARD = { origin: 'http://127.0.0.1:1', card: '{"name":"Stub","skills":[]}' };

describe('PushPollers', () => {
  const document = agentDocument(CARD, 'stub');
  const record: PushRecord = {
    ...{ id: 'r-1', agentId: document.id, agent: 'stub', organisationId: ORGANISATION_ID },
    owner: { workspaceId: WORKSPACE_ID, principal: 'key:k' },
    ...{ caller: null, version: '1.0', tokenHash: '' },
  };
  const task = (state: string, artifacts: readonly unknown[] = []) => ({
    ...{ id: 't-1', contextId: 'c', status: { state, timestamp: new Date().toISOString() }, artifacts },
  });
  let polled: unknown[];
  let delivered: unknown[];
  /** Outcomes of the next deliveries; `sent` when the list is empty. */
  let outcomes: DeliveryOutcome[];
  let documents: MapDocuments;
  let store: LocalPushStore;
  let pollers: PushPollers;
  /** Polls that a stopped gateway left, returned by the next look-up. */
  let left: StoredPoll[];
  beforeEach(async () => {
    polled = [];
    delivered = [];
    outcomes = [];
    left = [];
    documents = new MapDocuments();
    documents.set(documentKey.agentServer(WORKSPACE_ID, document.id), document);
    store = new LocalPushStore();
    await store.put(record);
    await store.bind(record, 't-1');
    const leases: PollLeases = {
      ...{ ...LOCAL_POLL_LEASES, isShared: true },
      take: () => Promise.resolve(left.splice(0)),
    };
    pollers = new PushPollers(
      {
        ...{ agents: new PushAgents(documents), store, leases, memory: new Shares(1_000) },
        calls: {
          readTask: () => {
            const next = polled.length > 1 ? polled.shift() : polled[0];
            return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
          },
        },
        delivery: {
          deliver: (_push, _document, event) => {
            delivered.push(event);
            return Promise.resolve(outcomes.shift() ?? 'sent');
          },
        },
      },
      { pollMs: 1, takeMs: 1 },
    );
  });
  afterEach(() => pollers.close());

  const statesOf = () =>
    delivered.map(
      (event) =>
        (event as { readonly task: { readonly status: { readonly state: string } } }).task.status.state,
    );

  it('notifies of each change once, and stops when the task ends', async () => {
    const artifact = { artifactId: 'a', parts: [{ text: 'b' }] };
    polled = [
      ...[task('TASK_STATE_WORKING'), task('TASK_STATE_WORKING'), new Error('away')],
      ...[task('TASK_STATE_WORKING', [artifact]), task('TASK_STATE_COMPLETED', [artifact])],
    ];
    expect(await pollers.start(record, 't-1')).toBe(true);
    await eventually(() => statesOf().at(-1) === 'TASK_STATE_COMPLETED');
    expect(statesOf()).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    // The poll has ended, so the task can be polled again.
    await eventually(async () => (await pollers.start(record, 't-1')) && delivered.length > 3);
  });

  it('sends the end of a task again if there was no room for it', async () => {
    polled = [task('TASK_STATE_COMPLETED')];
    outcomes = ['busy', 'busy'];
    await pollers.start(record, 't-1');
    await eventually(() => delivered.length === 3);
    expect(statesOf()).toEqual(Array.from({ length: 3 }, () => 'TASK_STATE_COMPLETED'));
    await eventually(async () => (await pollers.start(record, 't-1')) && delivered.length === 4);
  });

  it.each<[string, () => Promise<void> | void]>([
    ['the agent', () => documents.remove(documentKey.agentServer(WORKSPACE_ID, document.id))],
    ['the registration', () => store.remove({ record, taskId: 't-1' })],
  ])('stops when %s is gone', async (_what, remove) => {
    polled = [task('TASK_STATE_WORKING')];
    await pollers.start(record, 't-1');
    await eventually(() => delivered.length === 1);
    const reads = jest.spyOn(documents, 'get');
    await remove();
    await eventually(() => reads.mock.calls.length > 0);
    documents.set(documentKey.agentServer(WORKSPACE_ID, document.id), document);
    await store.put(record);
    // A poll that continued would find that nothing has changed.
    await eventually(async () => (await pollers.start(record, 't-1')) && delivered.length === 2);
  });

  it('polls a task once if a client starts it while another gateway’s poll of it is taken over', async () => {
    const working = Array.from({ length: 6 }, () => task('TASK_STATE_WORKING'));
    polled = [...working, task('TASK_STATE_COMPLETED')];
    const push = await store.get(record.agentId, record.id);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reads = jest.spyOn(store, 'get').mockImplementationOnce(() => released.then(() => push));
    const { id, agentId } = record;
    left = [{ ...{ id, agentId, taskId: 't-1' }, endsAt: Date.now() + 60_000, seen: null }];
    await eventually(() => reads.mock.calls.length === 1);
    await pollers.start(record, 't-1');
    release();
    await eventually(() => statesOf().at(-1) === 'TASK_STATE_COMPLETED');
    expect(statesOf()).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
  });

  it('gives one workspace at most half of the free places', async () => {
    const starts = await Promise.all(
      Array.from({ length: 1_001 }, (_, index) => pollers.start({ ...record, id: String(index) }, 't')),
    );
    expect(starts).toContain(true);
    expect(starts.at(-1)).toBe(false);
  });
});
