import { newDraft, newMessage } from '../draft/draft';
import { addFault, BYTES_MAX, draftOf, newRow, ROWS_MAX } from './test-set';

const textsOf = ({ messages }: ReturnType<typeof newDraft>) => messages.map(({ content }) => content);

describe('A row of a test set', () => {
  it('fills variables, and is the last message of the user where none is named input', () => {
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

  it('goes after a conversation that ends with parts', () => {
    const shared = { ...newDraft(), messages: [newMessage('other', [{ role: 'tool' }])] };
    expect(textsOf(draftOf(newRow('x', { values: { input: 'Next' } }), shared))).toEqual([
      [{ role: 'tool' }],
      'Next',
    ]);
  });

  it('sends its own request by the config that is written on the page', () => {
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

describe('A test set', () => {
  it('is bounded in rows and bytes', () => {
    const rows = Array.from({ length: ROWS_MAX }, () => newRow('x', {}));
    expect(addFault([], rows)).toBeNull();
    expect(addFault(rows, [newRow('x', {})])).toBe('rows');
    const large = newRow('x', { values: { input: 'x'.repeat(BYTES_MAX / 2) } });
    expect(addFault([large], [large])).toBe('bytes');
  });
});
