import { A2aError, bareEvent, eventFacts, partTexts, withPartTexts } from '../index';

const TASK = {
  task: {
    ...{ id: 't', contextId: 'c', metadata: { note: 'unseen' } },
    status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00Z', message: said('status') },
    artifacts: [{ artifactId: 'a', name: 'unseen', parts: [{ text: 'artifact' }] }],
    history: [said('history')],
  },
};

function said(text: string): { readonly messageId: string; readonly role: string; readonly parts: object[] } {
  return { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] };
}

describe('eventFacts', () => {
  it.each([
    [TASK, { kind: 'task', taskId: 't', contextId: 'c', state: 'TASK_STATE_WORKING' }],
    [{ message: { ...said('x'), contextId: 'c' } }, { kind: 'message', taskId: null, contextId: 'c' }],
    [
      { statusUpdate: { taskId: 't', contextId: '', status: { state: 'TASK_STATE_NEW' } } },
      { kind: 'statusUpdate', taskId: 't', contextId: null, state: 'TASK_STATE_UNSPECIFIED' },
    ],
    [{ artifactUpdate: { taskId: 't' } }, { kind: 'artifactUpdate', taskId: 't', state: null }],
  ])('returns kind, ids and state of %j', (event, facts) => {
    expect(eventFacts(event)).toMatchObject(facts);
  });

  it.each([null, 7, [], {}, { task: null }, { task: { id: 5 } }, { task: { id: 'x'.repeat(10_000) } }])(
    'refuses %j',
    (event) => {
      expect(() => eventFacts(event)).toThrow(A2aError);
    },
  );
});

describe('partTexts and withPartTexts', () => {
  it('read and replace texts in all parts, and nowhere else', () => {
    expect(partTexts(TASK)).toEqual(['status', 'artifact', 'history']);
    const edited = withPartTexts(TASK, (text) => text.toUpperCase());
    expect(partTexts(edited)).toEqual(['STATUS', 'ARTIFACT', 'HISTORY']);
    expect(edited.task).toMatchObject({ id: 't', metadata: { note: 'unseen' } });
    expect(partTexts(TASK)).toEqual(['status', 'artifact', 'history']);
  });

  it('include strings in data, but not files', () => {
    const value = {
      message: {
        parts: [
          { kind: 'text', text: 'one' },
          { kind: 'data', data: { a: ['two', { b: 'three' }], n: 4 } },
          { kind: 'file', file: { bytes: 'QUJD', name: 'unseen' } },
          { raw: 'QUJD', filename: 'unseen' },
        ],
      },
    };
    expect(partTexts(value)).toEqual(['one', 'two', 'three']);
    expect(withPartTexts(value, () => '-').message.parts[1]).toEqual({
      ...{ kind: 'data', data: { a: ['-', { b: '-' }], n: 4 } },
    });
  });
});

describe('bareEvent', () => {
  it('keeps only ids, states and times', () => {
    const status = { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00Z' };
    expect(bareEvent(TASK)).toEqual({ task: { id: 't', contextId: 'c', status } });
    const { status: full } = TASK.task;
    const update = { taskId: 't', contextId: 'c', status: full, metadata: { note: 'unseen' } };
    expect(bareEvent({ statusUpdate: update })).toEqual({
      statusUpdate: { taskId: 't', contextId: 'c', status },
    });
    const [artifact] = TASK.task.artifacts;
    expect(bareEvent({ artifactUpdate: { taskId: 't', artifact, lastChunk: true } })).toEqual({
      artifactUpdate: { taskId: 't', lastChunk: true, artifact: { artifactId: 'a', parts: [] } },
    });
    expect(bareEvent({ message: said('unseen') })).toBeNull();
  });
});
