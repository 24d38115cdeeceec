import { A2aError, bareEvent, eventFacts, textsIn, withTexts } from '../index';

const TASK = {
  task: {
    ...{ id: 't', contextId: 'c', metadata: { note: 'text of a note' } },
    status: { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00Z', message: said('status') },
    artifacts: [{ artifactId: 'a', name: 'name', parts: [{ text: 'artifact' }] }],
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

describe('textsIn and withTexts', () => {
  it('read and replace all texts, and no ids, states and times', () => {
    const texts = ['note', 'text of a note', 'status', 'name', 'artifact', 'history'];
    expect(textsIn(TASK)).toEqual(texts);
    const edited = withTexts(TASK, (text) => text.toUpperCase());
    expect(textsIn(edited)).toEqual(texts.map((text) => text.toUpperCase()));
    expect(edited.task).toMatchObject({ id: 't', status: { timestamp: '2026-01-01T00:00:00Z' } });
    expect(textsIn(TASK)).toEqual(texts);
  });

  it('include the texts of data and the names of files, but not the contents of files', () => {
    const value = {
      message: {
        parts: [
          { kind: 'text', text: 'one' },
          { kind: 'data', data: { a: ['two', { id: 'three' }], n: 4_111 } },
          { kind: 'file', file: { bytes: 'QUJD', name: 'five' } },
          { raw: 'QUJD', filename: 'six' },
          { url: { hidden: 'seven' } },
        ],
      },
    };
    const texts = ['one', 'a', 'two', 'id', 'three', 'n', '4111', 'five', 'six', 'seven'];
    expect(textsIn(value)).toEqual(texts);
    expect(withTexts(value, (text) => (text.length < 3 ? text : '-')).message.parts[1]).toEqual({
      ...{ kind: 'data', data: { a: ['-', { id: '-' }], n: '-' } },
    });
  });
});

describe('bareEvent', () => {
  it('has no text of the agent where a state, a time, an id or a flag should be', () => {
    const [text, status] = ['text of the agent', { state: 'text', timestamp: 'text' }];
    expect(bareEvent({ task: { id: 'x'.repeat(513), contextId: { text }, status } })).toEqual({
      task: { status: { state: 'TASK_STATE_UNSPECIFIED' } },
    });
    const update = { taskId: 't', append: text, lastChunk: [text], artifact: { artifactId: [text] } };
    expect(bareEvent({ artifactUpdate: update })).toEqual({
      artifactUpdate: { taskId: 't', artifact: { parts: [] } },
    });
  });

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
