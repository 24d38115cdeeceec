import { newDraft, newMessage } from '../draft/draft';
import { addFault, BYTES_MAX, draftOf, newRow, ROWS_MAX } from './test-set';

const textsOf = ({ messages }: ReturnType<typeof newDraft>) => messages.map(({ content }) => content);

describe('row of a test set', () => {
  it('fills in variables, and becomes the last user message when there is no variable input', () => {
    const row = newRow('x', { values: { input: 'Where?', city: 'Oslo' } });
    const asked = draftOf(row, {
      ...newDraft('Written'),
      system: 'In {{city}}',
      variables: { city: 'Rome' },
    });
    expect(textsOf(asked)).toEqual(['Where?']);
    expect(asked.variables).toEqual({ input: 'Where?', city: 'Oslo' });
    const placed = draftOf(row, newDraft('Say: {{input}}'));
    expect(textsOf(placed)).toEqual(['Say: {{input}}']);
    expect(placed.variables['input']).toBe('Where?');
  });

  it('is appended to a conversation that ends with parts', () => {
    const shared = { ...newDraft(), messages: [newMessage('other', [{ role: 'tool' }])] };
    expect(textsOf(draftOf(newRow('x', { values: { input: 'Next' } }), shared))).toEqual([
      [{ role: 'tool' }],
      'Next',
    ]);
  });

  it('sends its own request with the config written on the page', () => {
    const own = newDraft('From a log');
    expect(draftOf(newRow('x', { draft: own }), { ...newDraft('Page'), config: '{}' })).toEqual({
      ...own,
      config: '{}',
    });
  });

  it('has a short name on one line', () => {
    expect(newRow(' a\n b ', {}).name).toBe('a b');
    expect(newRow('x'.repeat(500), {}).name).toHaveLength(120);
  });
});

describe('test set', () => {
  it('is limited in rows and bytes', () => {
    const rows = Array.from({ length: ROWS_MAX }, () => newRow('x', {}));
    expect(addFault([], rows)).toBeNull();
    expect(addFault(rows, [newRow('x', {})])).toBe('rows');
    const large = newRow('x', { values: { input: 'x'.repeat(BYTES_MAX / 2) } });
    expect(addFault([large], [large])).toBe('bytes');
  });
});
